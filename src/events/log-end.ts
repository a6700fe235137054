/**
 * The place of the last event that has happened so far, as SQL: of those that wait in the outbox, each takes one place behind the
 * head before any that comes later. Who begins behind it misses nothing, and gets nothing of what was there before.
 */
export const LOG_END = '((select place from event_head) + (select count(*) from event_outbox))'
