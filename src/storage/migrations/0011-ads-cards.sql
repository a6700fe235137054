-- Cards of every kind, one row each; posts name them by `card_uri`. What a kind does not have is null.
create table ads_card (
  id bigint primary key,
  account_id bigint not null references ads_account,
  card_uri text not null unique,
  name text not null,
  card_type text not null,
  -- Cards of components: either one arrangement or several slides, and every media that they show.
  components jsonb,
  slides jsonb,
  media_keys text[],
  -- Polls and conversations show at most one.
  media_key text,
  -- Polls run from the moment that the card is made.
  first_choice text,
  second_choice text,
  third_choice text,
  fourth_choice text,
  duration_in_minutes int,
  start_time timestamptz,
  end_time timestamptz,
  -- Conversations: what people may post, and what they see afterwards.
  title text,
  first_cta text,
  first_cta_post text,
  second_cta text,
  second_cta_post text,
  third_cta text,
  third_cta_post text,
  fourth_cta text,
  fourth_cta_post text,
  thank_you_text text,
  thank_you_url text,
  poster_media_key text,
  unlocked_image_media_key text,
  unlocked_video_media_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted boolean not null default false
);
create index ads_card_page on ads_card (account_id, id);

-- Each kind alone, with the columns that it has. Rows are read and written through these.
create view ads_component_card as
  select id, account_id, card_uri, name, card_type, components, slides, media_keys, created_at, updated_at, deleted
    from ads_card where card_type not in ('TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS', 'IMAGE_CONVERSATION', 'VIDEO_CONVERSATION')
  with check option;

create view ads_poll_card as
  select id, account_id, card_uri, name, card_type, first_choice, second_choice, third_choice, fourth_choice, duration_in_minutes,
         start_time, end_time, media_key, created_at, updated_at, deleted
    from ads_card where card_type in ('TEXT_POLLS', 'IMAGE_POLLS', 'VIDEO_POLLS')
  with check option;

create view ads_image_conversation_card as
  select id, account_id, card_uri, name, card_type, title, first_cta, first_cta_post, second_cta, second_cta_post, third_cta,
         third_cta_post, fourth_cta, fourth_cta_post, thank_you_text, thank_you_url, media_key, unlocked_image_media_key, created_at,
         updated_at, deleted
    from ads_card where card_type = 'IMAGE_CONVERSATION'
  with check option;

create view ads_video_conversation_card as
  select id, account_id, card_uri, name, card_type, title, first_cta, first_cta_post, second_cta, second_cta_post, third_cta,
         third_cta_post, fourth_cta, fourth_cta_post, thank_you_text, thank_you_url, media_key, poster_media_key,
         unlocked_image_media_key, unlocked_video_media_key, created_at, updated_at, deleted
    from ads_card where card_type = 'VIDEO_CONVERSATION'
  with check option;
