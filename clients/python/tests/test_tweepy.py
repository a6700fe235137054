"""tweepy, unmodified: `rostra exec -- pytest` leads its fixed host names to the server that the fixtures control."""

import os

import pytest

tweepy = pytest.importorskip("tweepy")
pytestmark = pytest.mark.skipif("ROSTRA_URL" not in os.environ, reason="runs under `rostra exec`")


@pytest.fixture
def client(rostra_world):
    alice = rostra_world.user("alice")
    return tweepy.Client(
        consumer_key=alice.api_key,
        consumer_secret=alice.api_key_secret,
        access_token=alice.access_token,
        access_token_secret=alice.access_token_secret,
    )


def test_a_post_is_written_and_read(client, rostra_world):
    made = client.create_tweet(text="Hello from tweepy")
    found = client.get_tweet(made.data["id"], user_auth=True)
    assert found.data.text == "Hello from tweepy"
    assert client.get_me().data.username == "alice"
    assert rostra_world.wait_for_request(method="POST", user="alice").status == 201


def test_a_fault_is_the_error_of_the_library(client, rostra_world):
    rostra_world.fault("POST /2/posts", times=1, status=503)
    with pytest.raises(tweepy.TwitterServerError):
        client.create_tweet(text="Hello again")
    assert client.create_tweet(text="Hello again").data["text"] == "Hello again"


def test_a_rate_limit_is_the_error_of_the_library(client, rostra_world):
    rostra_world.fault("POST /2/posts", times=1, named="rate-limited")
    with pytest.raises(tweepy.TooManyRequests):
        client.create_tweet(text="Hello")


def test_oauth2_scopes_count(rostra_world):
    token = rostra_world.user("alice").oauth2(["post.read", "users.read"])
    client = tweepy.Client(token.access_token)
    assert client.get_me(user_auth=False).data.username == "alice"
    with pytest.raises(tweepy.Forbidden):
        client.create_tweet(text="Hello", user_auth=False)
