import type {
  chatConversations,
  chatList,
  messageConversations,
  messageList,
} from '../../../control/inspect/message-inspection.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { Select, TextArea } from '../kit/fields.tsx'
import { bytesOf, momentOf } from '../kit/format.ts'
import { href } from '../kit/router.ts'
import { acting, callAs, run, usePages } from './calls.ts'
import { Act, Badges, FormButton, Listing, type TabProps, UserField, Words } from './parts.tsx'

const people = (names: readonly string[]) => <bdi>{names.map((name) => `@${name}`).join(', ')}</bdi>

export function MessagesTab({ id, user, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { conversations, next } = await run<typeof messageConversations>('messages.conversations', { user, after })
      return { rows: conversations, next }
    },
    [user],
    ['message.create'],
  )
  const conversation = pages.rows?.find((row) => row.id === id)
  return (
    <>
      <div class="row">
        <FormButton
          button="New message"
          title={`A message of @${acting.value}`}
          action="Send"
          isFirst
          send={async ({ username, text }) => {
            const me = acting.value
            const path = `/2/users/by/username/${encodeURIComponent(username!)}`
            const found = await callAs<{ data: { id: string } }>(me, 'GET', path)
            await callAs(me, 'POST', `/2/dm_conversations/with/${found.data.id}/messages`, { text })
            await pages.reload()
          }}
        >
          <UserField label="To" name="username" isRequired />
          <TextArea label="Text" name="text" isRequired />
        </FormButton>
      </div>
      <div class="split">
        <Listing
          label="Conversations"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => open(row.id)}
          opened={id}
          empty="There are no conversations."
          columns={[
            { title: 'Participants', show: (row) => people(row.participants) },
            { title: 'Last message', show: (row) => <Words>{row.last_text}</Words>, isWide: true },
            { title: 'Kind', show: (row) => <Badges soft={[row.is_group && 'group']} />, isExtra: true },
            {
              title: 'Time',
              show: (row) => row.last_at && <span class="when">{momentOf(row.last_at)}</span>,
              isExtra: true,
            },
          ]}
        />
        {id !== undefined && (
          <Conversation key={id} id={id} participants={conversation?.participants ?? []} close={close} />
        )}
      </div>
    </>
  )
}

function Conversation(props: { id: string; participants: readonly string[]; close: () => void }) {
  const { id, participants } = props
  const pages = usePages(
    async (after) => {
      const { messages, next } = await run<typeof messageList>('messages.list', { conversation: id, after })
      return { rows: messages, next }
    },
    [id],
    ['message.create'],
  )
  const sender = participants.includes(acting.value) ? acting.value : participants[0]
  return (
    <Detail title="Conversation" close={props.close}>
      <div class="acts">
        <FormButton
          button="Answer"
          title="A message in this conversation"
          action="Send"
          send={async ({ from, text }) => {
            await callAs(from ?? '', 'POST', `/2/dm_conversations/${id}/messages`, { text })
            await pages.reload()
          }}
        >
          <Select label="From" name="from" value={sender} options={participants} />
          <TextArea label="Text" name="text" isRequired />
        </FormButton>
      </div>
      <Facts facts={[['Id', <code>{id}</code>]]} />
      {pages.error && (
        <p class="alert" role="alert">
          {pages.error}
        </p>
      )}
      <ol class="thread">
        {(pages.rows ?? []).map((message) => (
          <li key={message.id}>
            <p class="small">
              {message.sender && <a href={href('world', 'users', message.sender)}>@{message.sender}</a>}{' '}
              <span class="soft">{momentOf(message.created_at)}</span>{' '}
              {message.type !== 'MessageCreate' && <span class="badge">{message.type}</span>}
              {message.media_key && <span class="badge">media</span>}
            </p>
            <p>
              <Words>{message.text}</Words>
            </p>
            {message.seen_by.length < participants.length && (
              <p class="soft small">
                Still seen by {message.seen_by.length === 0 ? 'nobody' : people(message.seen_by)}
              </p>
            )}
          </li>
        ))}
      </ol>
      {pages.more && <Act onClick={pages.more}>More</Act>}
    </Detail>
  )
}

/** Encrypted conversations. The server has envelopes and cannot open them. */
export function ChatTab({ id, user, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { conversations, next } = await run<typeof chatConversations>('chat.conversations', { user, after })
      return { rows: conversations, next }
    },
    [user],
    ['chat.'],
  )
  return (
    <div class="split">
      <Listing
        label="Encrypted conversations"
        pages={pages}
        keyOf={(row) => row.id}
        open={(row) => open(row.id)}
        opened={id}
        empty="There are no encrypted conversations."
        columns={[
          { title: 'Members', show: (row) => people(row.members), isWide: true },
          { title: 'Name', show: (row) => <Words>{row.name}</Words> },
          { title: 'Kind', show: (row) => <Badges soft={[row.type]} />, isExtra: true },
          { title: 'Time', show: (row) => <span class="when">{momentOf(row.updated_at)}</span>, isExtra: true },
        ]}
      />
      {id !== undefined && <Envelopes key={id} id={id} close={close} />}
    </div>
  )
}

function Envelopes(props: { id: string; close: () => void }) {
  const pages = usePages(
    async (after) => {
      const { envelopes, next } = await run<typeof chatList>('chat.list', { conversation: props.id, after })
      return { rows: envelopes, next }
    },
    [props.id],
    ['chat.'],
  )
  return (
    <Detail title="Envelopes" close={props.close}>
      <p class="soft small">
        Only the members have the keys. The server knows who sent something, when, and how large it is.
      </p>
      <Listing
        label="Envelopes"
        pages={pages}
        keyOf={(row) => row.sequence}
        empty="There are no messages."
        columns={[
          { title: 'Sender', show: (row) => <bdi>@{row.sender}</bdi> },
          { title: 'Kind', show: (row) => row.kind },
          { title: 'Size', show: (row) => (row.bytes === null ? 'deleted' : bytesOf(row.bytes)), isNumber: true },
          { title: 'Time', show: (row) => <span class="when">{momentOf(row.created_at)}</span>, isExtra: true },
        ]}
      />
    </Detail>
  )
}
