/**
 * The sequence of the last event that has happened so far, as SQL. Events in the outbox get the sequences after the head before
 * any later event does. A reader that begins after this sequence misses nothing and gets nothing that happened before.
 */
export const LOG_END = '((select place from event_head) + (select count(*) from event_outbox))'
