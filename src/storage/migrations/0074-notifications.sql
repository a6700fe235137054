-- What others did that concerns a user. A reader of the event log writes one row for each; the sequence is that of the event.
create table notification (
  user_id bigint not null references user_account on delete cascade,
  sequence bigint not null,
  kind text not null check (kind in ('like', 'repost', 'reply', 'quote', 'mention', 'follow', 'follow_request', 'follow_approval',
    'list_add', 'message_request', 'note', 'community_invite')),
  actor_id bigint not null,
  -- What the cause is found by: the post, repost, list, note or community; otherwise the actor.
  object_id bigint not null,
  -- The post that is shown.
  post_id bigint,
  happened_at timestamptz not null,
  primary key (user_id, sequence)
);
-- One notice for each cause; what is undone is found by it.
create unique index notification_cause on notification (object_id, kind, actor_id, user_id);

create table notification_mark (
  user_id bigint primary key references user_account on delete cascade,
  -- The newest that the user has seen.
  seen_sequence bigint not null default 0,
  -- At least as many as the user has: when there are too many, the oldest are removed.
  row_count int not null default 0
) with (fillfactor = 80);
