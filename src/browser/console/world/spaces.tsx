import type { spacesList } from '../../../control/inspect/group-inspection.ts'
import { command } from '../kit/client.ts'
import { Detail, Facts } from '../kit/detail.tsx'
import { Checkbox, Select, TextField } from '../kit/fields.tsx'
import { countOf, momentOf } from '../kit/format.ts'
import { href, query, setQuery } from '../kit/router.ts'
import { act, acting, run, usePages, useRow } from './calls.ts'
import { Act, Badges, FormButton, Listing, type TabProps, Words } from './parts.tsx'

/** What the operator can do with a space, by its state. */
const RUNNING: Record<string, [name: string, command: string][]> = {
  scheduled: [
    ['Start', 'spaces.start'],
    ['Cancel the space', 'spaces.cancel'],
  ],
  live: [['End', 'spaces.end']],
}
/** What the acting user can do in one. */
const TAKING: Record<string, [name: string, command: string][]> = {
  scheduled: [
    ['Set a reminder', 'spaces.subscribe'],
    ['Remove the reminder', 'spaces.unsubscribe'],
  ],
  live: [
    ['Join', 'spaces.join'],
    ['Leave', 'spaces.leave'],
  ],
}

const moment = (iso: string | null) => (iso === null ? undefined : momentOf(iso))

export function SpacesTab({ id, search, user, open, close }: TabProps) {
  const state = query.value.get('state') ?? undefined
  const pages = usePages(
    async (after) => {
      const { spaces, next } = await run<typeof spacesList>('spaces.list', { query: search, user, state, after })
      return { rows: spaces, next }
    },
    [search, user, state],
    ['space.'],
  )
  const space = useRow(pages, id, async (query) => (await run<typeof spacesList>('spaces.list', { query })).spaces)
  return (
    <>
      <div class="row">
        <Select
          label="State"
          name="state"
          value={state ?? ''}
          options={[['', 'All'], 'scheduled', 'live', 'ended', 'cancelled']}
          onValue={(value) => setQuery('state', value)}
        />
        <FormButton
          button="New space"
          title={`A space of @${acting.value}`}
          action="Create"
          isFirst
          send={async ({ title, scheduled_start: start, ticketed }) => {
            await run('spaces.create', {
              user: acting.value,
              title,
              scheduled_start: start ? `${start}:00Z` : undefined,
              ticketed: ticketed === 'on' || undefined,
            })
            await pages.reload()
          }}
        >
          <TextField label="Title" name="title" maxLength={70} />
          <TextField
            label="Scheduled start (UTC)"
            name="scheduled_start"
            type="datetime-local"
            help="Live at once when empty"
          />
          <Checkbox label="Ticketed" name="ticketed" />
        </FormButton>
      </div>
      <div class="split">
        <Listing
          label="Spaces"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => open(row.id)}
          opened={id}
          empty="No space fits."
          columns={[
            { title: 'Title', show: (row) => <Words>{row.title || '(no title)'}</Words>, isWide: true },
            { title: 'Creator', show: (row) => <bdi>@{row.creator}</bdi> },
            { title: 'State', show: (row) => <Badges soft={[row.state]} /> },
            { title: 'People', show: (row) => countOf(row.participant_count), isNumber: true, isExtra: true },
          ]}
        />
        {space && (
          <Detail title="Space" close={close}>
            <div class="acts">
              {(RUNNING[space.state] ?? []).map(([name, called]) => (
                <Act
                  key={called}
                  onClick={() =>
                    act(`Done: ${name.toLowerCase()}.`, () => command(called, { space: space.id }), pages.reload)
                  }
                >
                  {name}
                </Act>
              ))}
              {(TAKING[space.state] ?? []).map(([name, called]) => (
                <Act
                  key={called}
                  onClick={() =>
                    act(
                      `@${acting.value}: ${name.toLowerCase()}.`,
                      () => command(called, { space: space.id, user: acting.value }),
                      pages.reload,
                    )
                  }
                >
                  {name}
                </Act>
              ))}
            </div>
            <Facts
              facts={[
                ['Title', <Words>{space.title}</Words>],
                ['Creator', <a href={href('world', 'users', space.creator)}>@{space.creator}</a>],
                ['Id', <code>{space.id}</code>],
                ['State', space.state],
                ['Ticketed', space.is_ticketed && 'yes'],
                ['People', countOf(space.participant_count)],
                ['Reminders', countOf(space.subscriber_count)],
                ['Scheduled', moment(space.scheduled_start)],
                ['Started', moment(space.started_at)],
                ['Ended', moment(space.ended_at)],
              ]}
            />
          </Detail>
        )}
      </div>
    </>
  )
}
