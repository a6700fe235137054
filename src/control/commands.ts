import { userRevoke, userToken } from './access-commands.ts'
import { accountCommands } from './accounts/account-commands.ts'
import { invitationCommands } from './accounts/invitation-commands.ts'
import { adsControlCommands } from './ads/account-commands.ts'
import { agentsCreate } from './agent-commands.ts'
import { appCreate, appDelete, appListCommand, appRotate, appUpdateCommand } from './app-commands.ts'
import { chatMemberRemove } from './chat-commands.ts'
import { clockCommand } from './clock/clock-command.ts'
import type { Command } from './command.ts'
import { deliveryRepeatCommand, deliveryShowCommand } from './deliveries.ts'
import { faultCommands } from './fault-commands.ts'
import { groupInspection } from './inspect/group-inspection.ts'
import { messageInspection } from './inspect/message-inspection.ts'
import { postInspection } from './inspect/post-inspection.ts'
import { userInspection } from './inspect/user-inspection.ts'
import { streamListCommands } from './listeners/stream-commands.ts'
import { webhookCommands } from './listeners/webhook-commands.ts'
import { moderationCommands } from './moderation/moderation-commands.ts'
import { lifeCommands } from './population/life-commands.ts'
import { bookmarkFileCommand, bookmarkFolderCreate, pollVoteCommand, userPin, viewsAdd } from './post-commands.ts'
import { projectControlCommands } from './project-commands.ts'
import { followApproveCommand, followRefuseCommand, relationAdd, relationRemove } from './relations.ts'
import { requestRepeat } from './request-detail.ts'
import { cacheInvalidate, limitsClear } from './server-commands.ts'
import { communityCommands } from './social/community-commands.ts'
import { messageControlCommands } from './social/message-commands.ts'
import { noteCommands } from './social/note-commands.ts'
import { spaceCommands } from './social/space-commands.ts'
import { streamFault } from './stream-fault-command.ts'
import { topicsWork } from './topic-commands.ts'
import { triggerEvent, triggerList } from './triggers/trigger.ts'
import { usageControlCommands } from './usage-commands.ts'
import { userCreate, userListCommand, userUpdateCommand } from './user-commands.ts'
import { worldSeed } from './world/seed-command.ts'
import { snapshotCommands } from './world/snapshot-commands.ts'
import { stateShow } from './world/state-command.ts'
import { worldCommands } from './world/world-commands.ts'

/** Every command of the control interface and the command line. */
export const commands: readonly Command[] = [
  ...projectControlCommands,
  appCreate,
  appListCommand,
  appRotate,
  appDelete,
  appUpdateCommand,
  userCreate,
  userListCommand,
  userUpdateCommand,
  userToken,
  userRevoke,
  requestRepeat,
  ...accountCommands,
  ...invitationCommands,
  relationAdd,
  relationRemove,
  followApproveCommand,
  followRefuseCommand,
  userPin,
  bookmarkFolderCreate,
  bookmarkFileCommand,
  pollVoteCommand,
  viewsAdd,
  topicsWork,
  ...spaceCommands,
  ...noteCommands,
  ...messageControlCommands,
  chatMemberRemove,
  ...communityCommands,
  deliveryShowCommand,
  deliveryRepeatCommand,
  ...webhookCommands,
  triggerEvent,
  triggerList,
  clockCommand,
  ...snapshotCommands,
  limitsClear,
  ...faultCommands,
  streamFault,
  ...streamListCommands,
  stateShow,
  cacheInvalidate,
  ...usageControlCommands,
  ...adsControlCommands,
  ...worldCommands,
  worldSeed,
  agentsCreate,
  ...lifeCommands,
  ...userInspection,
  ...postInspection,
  ...groupInspection,
  ...messageInspection,
  ...moderationCommands,
]
