import type { communitiesList } from '../../../control/inspect/group-inspection.ts'
import { command } from '../kit/client.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { Select, TextArea, TextField } from '../kit/fields.tsx'
import { countOf, momentOf } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { href } from '../kit/router.ts'
import { act, acting, callAs, run, usePages, useRow, type Wire } from './calls.ts'
import { Act, Badges, FormButton, Listing, type TabProps, Words } from './parts.tsx'

type Community = Wire<NonNullable<(typeof communitiesList)['types']>['result']>['communities'][number]

const POLICIES = [
  'Open',
  'RestrictedJoinRequestsDisabled',
  'RestrictedJoinRequestsRequireAdminApproval',
  'RestrictedJoinRequestsRequireModeratorApproval',
  'SuperFollowRequired',
]

export function CommunitiesTab({ id, search, user, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { communities, next } = await run<typeof communitiesList>('communities.list', {
        query: search,
        user,
        after,
      })
      return { rows: communities, next }
    },
    [search, user],
  )
  const community = useRow(
    pages,
    id,
    async (query) => (await run<typeof communitiesList>('communities.list', { query })).communities,
  )
  return (
    <>
      <div class="row">
        <FormButton
          button="New community"
          title={`A community of @${acting.value}`}
          action="Create"
          isFirst
          send={async (fields) => {
            await run('communities.create', { user: acting.value, ...fields })
            await pages.reload()
          }}
        >
          <TextField label="Name" name="name" isRequired maxLength={30} />
          <TextField label="Description" name="description" maxLength={160} />
          <Select label="Access" name="access" value="Public" options={['Public', 'Closed']} />
          <Select label="Join policy" name="join_policy" value="Open" options={POLICIES} />
        </FormButton>
      </div>
      <div class="split">
        <Listing
          label="Communities"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => open(row.id)}
          opened={id}
          empty="No community fits."
          columns={[
            { title: 'Name', show: (row) => <Words>{row.name}</Words>, isWide: true },
            { title: 'Access', show: (row) => <Badges soft={[row.access]} /> },
            { title: 'Members', show: (row) => countOf(row.member_count), isNumber: true },
          ]}
        />
        {community && <CommunityDetail key={id} community={community} close={close} changed={pages.reload} />}
      </div>
    </>
  )
}

interface Members {
  members: { username: string; role: string }[]
}

function CommunityDetail(props: { community: Community; close: () => void; changed: () => Promise<void> }) {
  const { community } = props
  const { id } = community
  const me = acting.value
  const loaded = useLoaded(
    () => run<{ types?: { args: object; result: Members } }>('communities.members', { community: id, limit: 200 }),
    [id],
  )
  const reload = async () => {
    await Promise.all([loaded.reload(), props.changed()])
  }
  const take = (name: string, done: string) =>
    act(done, () => command(`communities.${name}`, { community: id, user: me }), reload)
  return (
    <Detail title="Community" close={props.close}>
      <div class="acts">
        <Act onClick={() => take('join', `@${me} joined, or has asked to.`)}>{`Join as @${me}`}</Act>
        <Act onClick={() => take('leave', `@${me} left.`)}>Leave</Act>
        <FormButton
          button="Post"
          title={`A post of @${me} in the community`}
          action="Post"
          send={({ text }) => callAs(me, 'POST', '/2/posts', { text, community_id: id })}
        >
          <TextArea label="Text" name="text" isRequired />
        </FormButton>
      </div>
      <Facts
        facts={[
          ['Name', <Words>{community.name}</Words>],
          ['Description', community.description && <Words>{community.description}</Words>],
          ['Id', <code>{id}</code>],
          ['Access', community.access],
          ['Join policy', community.join_policy],
          ['Created', momentOf(community.created_at)],
        ]}
      />
      <h3>Members</h3>
      <Show loaded={loaded}>
        {({ members }) => (
          <ul class="thread">
            {members.map((member) => (
              <li key={member.username}>
                <p>
                  <a href={href('world', 'users', member.username)}>@{member.username}</a>{' '}
                  <span class="soft small">{member.role}</span>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Show>
    </Detail>
  )
}
