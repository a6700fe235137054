import type { listsList, listsShow } from '../../../control/inspect/group-inspection.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { confirm } from '../kit/dialog.tsx'
import { Checkbox, TextField } from '../kit/fields.tsx'
import { countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href } from '../kit/router.ts'
import { act, acting, callAs, run, usePages } from './calls.ts'
import { Act, Badges, FormButton, Listing, type TabProps, UserField, Words } from './parts.tsx'

export function ListsTab({ id, search, user, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { lists, next } = await run<typeof listsList>('lists.list', { query: search, user, after })
      return { rows: lists, next }
    },
    [search, user],
  )
  return (
    <>
      <div class="row">
        <FormButton
          button="New list"
          title={`A list of @${acting.value}`}
          action="Create"
          isFirst
          send={async ({ name, description, private: isPrivate }) => {
            await callAs(acting.value, 'POST', '/2/lists', { name, description, private: isPrivate === 'on' })
            await pages.reload()
          }}
        >
          <TextField label="Name" name="name" isRequired maxLength={25} />
          <TextField label="Description" name="description" maxLength={100} />
          <Checkbox label="Private" name="private" />
        </FormButton>
      </div>
      <div class="split">
        <Listing
          label="Lists"
          pages={pages}
          keyOf={(list) => list.id}
          open={(list) => open(list.id)}
          opened={id}
          empty="No list fits."
          columns={[
            { title: 'Name', show: (list) => <Words>{list.name}</Words>, isWide: true },
            { title: 'Owner', show: (list) => <bdi>@{list.owner}</bdi> },
            { title: 'State', show: (list) => <Badges soft={[list.private && 'private']} />, isExtra: true },
            { title: 'Members', show: (list) => countOf(list.member_count), isNumber: true },
          ]}
        />
        {id !== undefined && <ListDetail key={id} id={id} close={close} changed={pages.reload} />}
      </div>
    </>
  )
}

function ListDetail(props: { id: string; close: () => void; changed: () => Promise<void> }) {
  const { id } = props
  const loaded = useLoaded(() => run<typeof listsShow>('lists.show', { list: id, limit: 200 }), [id])
  const reload = async () => {
    await Promise.all([loaded.reload(), props.changed()])
  }
  return (
    <Detail title="List" close={props.close}>
      <Show loaded={loaded}>
        {({ list, members, next }) => (
          <>
            <Facts
              facts={[
                ['Name', <Words>{list.name}</Words>],
                ['Description', list.description && <Words>{list.description}</Words>],
                ['Owner', <a href={href('world', 'users', list.owner)}>@{list.owner}</a>],
                ['Id', <code>{list.id}</code>],
                ['State', list.private ? 'private' : 'public'],
                ['Members', countOf(list.member_count)],
                ['Followers', countOf(list.follower_count)],
                ['Created', momentOf(list.created_at)],
              ]}
            />
            <h3>As @{list.owner}</h3>
            <div class="acts">
              <FormButton
                button="Add a member"
                title="Add a member"
                action="Add"
                send={async ({ username }) => {
                  const found = await callAs<{ data: { id: string } }>(
                    list.owner,
                    'GET',
                    `/2/users/by/username/${encodeURIComponent(username!)}`,
                  )
                  await callAs(list.owner, 'POST', `/2/lists/${id}/members`, { user_id: found.data.id })
                  await reload()
                }}
              >
                <UserField label="User" name="username" isRequired />
              </FormButton>
              <Act
                onClick={async () => {
                  const words = 'Its members stay what they are.'
                  if (await confirm({ title: 'Delete this list?', words, action: 'Delete' }))
                    await act(
                      'The list is deleted.',
                      () => callAs(list.owner, 'DELETE', `/2/lists/${id}`),
                      async () => {
                        props.close()
                        await props.changed()
                      },
                    )
                }}
              >
                Delete
              </Act>
            </div>
            <h3>Members</h3>
            <ul class="thread">
              {members.map((member) => (
                <li key={member.id}>
                  <p>
                    <a href={href('world', 'users', member.username)}>@{member.username}</a>{' '}
                    <Words>{member.name}</Words>{' '}
                    <Act
                      label={`Remove @${member.username}`}
                      onClick={() =>
                        act(
                          'Removed.',
                          () => callAs(list.owner, 'DELETE', `/2/lists/${id}/members/${member.id}`),
                          reload,
                        )
                      }
                    >
                      Remove
                    </Act>
                  </p>
                </li>
              ))}
            </ul>
            {next !== undefined && <p class="soft small">These are the newest 200.</p>}
          </>
        )}
      </Show>
    </Detail>
  )
}
