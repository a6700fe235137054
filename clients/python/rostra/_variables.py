from typing import Any, Dict


def variables_of(credentials: Dict[str, Any]) -> Dict[str, str]:
    """The variables of a server for programs under test. `rostra env` also prints the names that libraries use."""
    app = (credentials["apps"] or [{}])[0]
    user = (credentials["users"] or [{}])[0]
    found = {
        "ROSTRA_URL": credentials["base_url"],
        "ROSTRA_ADS_URL": credentials["ads_url"],
        "ROSTRA_ADS_SANDBOX_URL": credentials["ads_sandbox_url"],
        "ROSTRA_ADS_ACCOUNT_ID": credentials.get("ads_account_id"),
        "ROSTRA_ADMIN_KEY": credentials["admin_key"],
        "ROSTRA_API_KEY": app.get("api_key"),
        "ROSTRA_API_KEY_SECRET": app.get("api_key_secret"),
        "ROSTRA_BEARER_TOKEN": app.get("bearer_token"),
        "ROSTRA_CLIENT_ID": app.get("client_id"),
        "ROSTRA_CLIENT_SECRET": app.get("client_secret"),
        "ROSTRA_USER_ID": user.get("id"),
        "ROSTRA_USERNAME": user.get("username"),
        "ROSTRA_ACCESS_TOKEN": user.get("access_token"),
        "ROSTRA_ACCESS_TOKEN_SECRET": user.get("access_token_secret"),
        "ROSTRA_OAUTH2_ACCESS_TOKEN": user.get("oauth2_access_token"),
        "ROSTRA_OAUTH2_REFRESH_TOKEN": user.get("oauth2_refresh_token"),
    }
    return {name: value for name, value in found.items() if value is not None}
