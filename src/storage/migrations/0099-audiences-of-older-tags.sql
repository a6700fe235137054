-- Event tags that were enabled for retargeting before they had audiences get them, with those who did it before. The id is that of the
-- tag: ids are not used twice, and no audience has it.
create temporary table tag_without_audience on commit drop as
  select t.*,
         -- The id as clients have it.
         (with recursive digits as (
            select t.id as rest, '' as text
            union all
            select rest / 36, substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::int + 1, 1) || text from digits where rest > 0
          ) select text from digits where rest = 0) as shown_id
    from (select id, account_id, 'WEB' as audience_type, 'Website visitors: ' || name as name, created_at
            from ads_web_event_tag where retargeting_enabled and not deleted
          union all
          select id, account_id, 'MOBILE_AUDIENCE', 'App activity: ' || provider_app_event_name, created_at
            from ads_app_event_tag where retargeting_enabled and not deleted) t
   where not exists (select from ads_custom_audience a where a.tag_id = t.id);

insert into ads_custom_audience (id, account_id, name, audience_type, tag_id, due_at, created_at, updated_at)
  select id, account_id, left(name, 252 - length(shown_id)) || ' (' || shown_id || ')', audience_type, id, created_at, created_at, created_at
    from tag_without_audience
  on conflict do nothing;

insert into ads_tag_visitor as v (tag_id, viewer, seen_at)
  select c.tag_id, c.viewer, max(to_timestamp(((c.id >> 22) + 1288834974657) / 1000.0))
    from ads_conversion c join tag_without_audience t on t.id = c.tag_id where c.viewer is not null
   group by c.tag_id, c.viewer
  on conflict (tag_id, viewer) do update set seen_at = excluded.seen_at where v.seen_at < excluded.seen_at;
