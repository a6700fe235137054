import json
import re
import urllib.error
import urllib.request
from datetime import timedelta

import pytest

from rostra import Rostra, RostraError, RostraStartError, RostraTimeoutError

# The proxy of `rostra exec` is for the program under test.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(rostra, path, authorization, body=None):
    request = urllib.request.Request(
        rostra.url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": authorization, "Content-Type": "application/json"},
    )
    with opener.open(request) as answer:
        return json.loads(answer.read())


def test_a_user_signs_requests(rostra_world):
    alice = rostra_world.user("alice")
    header = alice.authorization("GET", f"{rostra_world.url}/2/users/me?user.fields=name")
    assert call(rostra_world, "/2/users/me?user.fields=name", header)["data"]["id"] == alice.id


def test_a_user_gets_oauth2_tokens_with_scopes(rostra_world):
    token = rostra_world.user("alice").oauth2(["post.read", "users.read"])
    assert sorted(token.scopes) == ["post.read", "users.read"]
    assert call(rostra_world, "/2/users/me", f"Bearer {token.access_token}")["data"]["username"] == "alice"


def test_a_new_user_acts_until_the_reset(rostra_world):
    carol = rostra_world.create_user("carol")
    header = carol.authorization("POST", f"{rostra_world.url}/2/posts")
    assert call(rostra_world, "/2/posts", header, {"text": "Hello"})["data"]["text"] == "Hello"
    rostra_world.reset()
    with pytest.raises(LookupError, match="no user 'carol'. Known are alice"):
        rostra_world.user("carol")


def test_a_new_app_has_keys_and_tokens(rostra_world):
    app = rostra_world.create_app("A new app")
    token, secret = rostra_world.user("bob").oauth1(app="A new app")
    assert app.bearer_token and secret and token.startswith(rostra_world.user("bob").id)
    assert rostra_world.app("A new app") is app


def test_a_refused_command_raises_the_sentence_of_the_server(rostra_world):
    with pytest.raises(RostraError, match="The username alice is taken.") as raised:
        rostra_world.command("user.create", username="alice")
    assert raised.value.status == 400


def test_the_clock_moves_and_a_reset_sets_it_back(rostra_world):
    before = rostra_world.clock.now()
    after = rostra_world.clock.advance("2h")
    assert after - before >= timedelta(hours=2)
    rostra_world.reset()
    assert rostra_world.clock.now() < after
    with pytest.raises(ValueError, match="'soon' is not a duration"):
        rostra_world.clock.advance("soon")


def test_a_snapshot_brings_back_what_there_was(rostra_world):
    rostra_world.create_user("carol")
    assert rostra_world.snapshot("with-carol").name == "with-carol"
    rostra_world.reset()
    rostra_world.restore("with-carol")
    assert rostra_world.command("user.token", user="carol")["username"] == "carol"
    rostra_world.snapshots.delete("with-carol")
    assert [item.name for item in rostra_world.snapshots.list()] == []


def test_worlds_are_applied(rostra_world):
    made = rostra_world.apply_world({"users": [{"username": "zoe", "tokens": [{"app": "First app"}]}]})
    assert made["created"]["user"] == 1
    assert rostra_world.user("zoe").access_token
    rostra_world.reset()
    with pytest.raises(LookupError):
        rostra_world.user("zoe")


def test_faults_hit_as_often_as_they_say(rostra_world):
    rostra_world.fault("GET /2/users/by/username/*", times=1, status=503)
    bearer = f"Bearer {rostra_world.app().bearer_token}"
    with pytest.raises(urllib.error.HTTPError, match="503"):
        call(rostra_world, "/2/users/by/username/alice", bearer)
    assert call(rostra_world, "/2/users/by/username/alice", bearer)["data"]["username"] == "alice"
    statuses = [item.status for item in rostra_world.requests(path=re.compile("^/2/users/by/"))]
    assert statuses == [503, 200]
    assert rostra_world.wait_for_request(status=503).status == 503
    with pytest.raises(RostraTimeoutError, match="GET /2/users/by/username/alice"):
        rostra_world.wait_for_request(status=503, timeout="50ms")


def test_a_trigger_makes_an_event(rostra_world):
    made = rostra_world.trigger("post.create", user="alice", text="hello, kit")
    assert made.event_type == "post.create" and made.sequence is not None
    assert rostra_world.deliveries() == []
    with pytest.raises(RostraTimeoutError, match="There are no deliveries"):
        rostra_world.wait_for_delivery(event_type="post.create", timeout=0.05)


def test_a_running_server_is_found_by_address_and_key(rostra):
    found = Rostra.connect(rostra.url, rostra.credentials["admin_key"])
    assert found.credentials == rostra.credentials
    with pytest.raises(RostraError, match="requires the admin key"):
        Rostra.connect(rostra.url, "wrong")


def test_a_folder_without_a_server_is_an_error(tmp_path):
    with pytest.raises(RostraStartError, match="No server is running on the data folder"):
        Rostra.connect(data_dir=tmp_path)


def test_a_server_that_cannot_start_raises_its_words():
    with pytest.raises(RostraStartError, match="--colour"):
        Rostra.start(flags=["--colour", "red"])


# The same text in several workers: the worlds do not see each other, so none of them is a duplicate.
@pytest.mark.parametrize("number", range(4))
def test_worlds_are_separate(rostra_world, number):
    header = rostra_world.user("alice").authorization("POST", f"{rostra_world.url}/2/posts")
    call(rostra_world, "/2/posts", header, {"text": "The same text"})
    assert len(rostra_world.requests(method="post", path="/2/posts")) == 1
