import { closed, Type } from '../api-kit/declaring/schema.ts'
import { change } from '../api-kit/runtime.ts'
import { removeFromChat } from '../social/chat/remove-member.ts'
import { defineCommand, findUser, NameOrId } from './command.ts'

/** Takes a member out of an encrypted group. */
export const chatMemberRemove = defineCommand(
  'chat.member.remove',
  closed({ conversation_id: Type.String({ pattern: '^g[0-9]{1,19}$' }), user: NameOrId }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    return change(runtime, (tx, invalidate) => removeFromChat(tx, invalidate, args.conversation_id, user.id))
  },
)
