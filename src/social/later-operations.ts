/**
 * Operations as `id method path` that are not part of the version which this server follows, and that its sources name: broadcasts
 * of version 2.167, and the power stream, whose rules are built.
 */
export const v2Later: readonly string[] = [
  'listBroadcasts GET /2/broadcasts',
  'listScheduledBroadcasts GET /2/broadcasts/scheduled',
  'createScheduledBroadcast POST /2/broadcasts/scheduled',
  'deleteScheduledBroadcast DELETE /2/broadcasts/scheduled/{id}',
  'getScheduledBroadcast GET /2/broadcasts/scheduled/{id}',
  'updateScheduledBroadcast PUT /2/broadcasts/scheduled/{id}',
  'goLiveScheduledBroadcast POST /2/broadcasts/scheduled/{id}/live',
  'getBroadcast GET /2/broadcasts/{id}',
  'getBroadcastChat GET /2/broadcasts/{id}/chat',
  'sendBroadcastChat POST /2/broadcasts/{id}/chat',
  'muteBroadcastChatUser POST /2/broadcasts/{id}/chat/mutes',
  'unmuteBroadcastChatUser DELETE /2/broadcasts/{id}/chat/mutes/{user_id}',
  'deleteBroadcastChatMessage DELETE /2/broadcasts/{id}/chat/{message_id}',
  'powerstream GET /2/powerstream',
]
