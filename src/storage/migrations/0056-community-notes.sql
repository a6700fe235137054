-- Community notes: who writes them, the notes, their ratings, and what scoring found.
create table note_writer (
  user_id bigint primary key references user_account on delete cascade,
  -- Top writers may read the larger feeds.
  top boolean not null,
  enrolled_at timestamptz not null
);

create table community_note (
  id bigint primary key,
  post_id bigint not null references post on delete cascade,
  -- All versions of a post count as one post.
  first_version_id bigint not null,
  writer_id bigint not null references user_account on delete cascade,
  text text not null,
  classification text not null check (classification in ('misinformed_or_potentially_misleading', 'not_misleading')),
  misleading_tags text[] not null,
  trustworthy_sources boolean not null,
  is_media_note boolean,
  claim_opinion_score double precision not null,
  status text not null check (status in ('currently_rated_helpful', 'currently_rated_not_helpful', 'insufficient_consensus',
    'minimum_ratings_not_met', 'needs_more_ratings')),
  -- Null until the note has been scored.
  intercept double precision,
  factor double precision,
  rating_counts jsonb,
  -- How often its ratings changed, and how many of these changes its score includes.
  rating_changes int not null default 0,
  scored_changes int not null default 0,
  -- The status is final.
  locked boolean not null default false,
  created_at timestamptz not null,
  unique (first_version_id, writer_id)
);
create index community_note_of_writer on community_note (writer_id, id desc);
create index community_note_of_post on community_note (post_id);
create index community_note_unscored on community_note (id) where rating_changes <> scored_changes and not locked;
create index community_note_open on community_note (created_at) where not locked;

create table community_note_rating (
  note_id bigint not null references community_note on delete cascade,
  rater_id bigint not null references user_account on delete cascade,
  helpfulness text not null check (helpfulness in ('helpful', 'somewhat_helpful', 'not_helpful')),
  tags text[] not null,
  rated_at timestamptz not null,
  primary key (note_id, rater_id)
);
create index community_note_rating_of_rater on community_note_rating (rater_id);
