import pytest


@pytest.fixture(scope="session")
def rostra_options():
    return {"rate_limits": False}
