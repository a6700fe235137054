import '../world/world.css'
import { useState } from 'preact/hooks'
import type { auditList, reportList } from '../../../control/moderation/moderation-commands.ts'
import { Code } from '../kit/copy.tsx'
import { Detail, Facts } from '../kit/detail.tsx'
import { confirm } from '../kit/dialog.tsx'
import { Select, TextField } from '../kit/fields.tsx'
import { momentOf } from '../kit/format.ts'
import { go, href, path, query, setQuery } from '../kit/router.ts'
import { Tabs } from '../kit/tabs.tsx'
import { act, run, usePages, type Wire } from '../world/calls.ts'
import { Act, Badges, Listing, UserField, Words } from '../world/parts.tsx'

type Report = Wire<NonNullable<(typeof reportList)['types']>['result']>['reports'][number]

const TABS: [string, string][] = [
  ['reports', 'Reports'],
  ['audit', 'Audit log'],
]

function openPart(part: string, id?: string): void {
  const filters = Object.fromEntries(query.value)
  go(id === undefined ? href('moderation', part, filters) : href('moderation', part, id, filters))
}

/** What users reported, and what operators did. */
export function ModerationPage() {
  const [, part = 'reports', id] = path.value
  return (
    <>
      <div class="bar">
        <h1>Moderation</h1>
      </div>
      <Tabs label="Parts of moderation" page="moderation" current={part} tabs={TABS} />
      {part === 'audit' ? <Audit id={id} /> : <Reports id={id} />}
    </>
  )
}

const filterOf = (name: string) => query.value.get(name) ?? undefined

function Reports({ id }: { id: string | undefined }) {
  const state = filterOf('state') ?? 'open'
  const [kind, user] = [filterOf('kind'), filterOf('user')]
  const pages = usePages(
    async (after) => {
      const { reports, next } = await run<typeof reportList>('report.list', {
        state: state === 'all' ? undefined : state,
        kind,
        user,
        after,
      })
      return { rows: reports, next }
    },
    [state, kind, user],
  )
  const report = pages.rows?.find((row) => row.id === id)
  return (
    <>
      <div class="row">
        <Select
          label="State"
          name="state"
          value={state}
          options={['open', 'resolved', 'all']}
          onValue={(value) => setQuery('state', value === 'open' ? '' : value)}
        />
        <Select
          label="About"
          name="kind"
          value={kind ?? ''}
          options={[['', 'Everything'], 'post', 'user', 'message', 'space', 'community', 'list']}
          onValue={(value) => setQuery('kind', value)}
        />
        <UserField label="User" name="user" value={user ?? ''} onValue={(value) => setQuery('user', value)} />
        <button type="button" class="button" onClick={() => void pages.reload()}>
          Reload
        </button>
      </div>
      <div class="split">
        <Listing
          label="Reports"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => openPart('reports', row.id)}
          opened={id}
          empty="There are no such reports."
          columns={[
            { title: 'Reason', show: (row) => <Badges soft={[row.reason]} /> },
            { title: 'About', show: (row) => row.kind },
            { title: 'Text', show: (row) => <Words>{row.excerpt}</Words>, isWide: true },
            { title: 'User', show: (row) => row.owner && <bdi>@{row.owner}</bdi>, isExtra: true },
            {
              title: 'Reports',
              show: (row) => (row.state === 'open' ? row.open_reports : ''),
              isNumber: true,
              isExtra: true,
            },
            { title: 'Time', show: (row) => <span class="when">{momentOf(row.created_at)}</span>, isExtra: true },
          ]}
        />
        {report && <ReportDetail key={report.id} report={report} changed={pages.reload} />}
      </div>
    </>
  )
}

const ACTIONS: Record<string, string> = {
  none: 'No action',
  remove_post: 'Remove the post',
  mark_sensitive: 'Warn as sensitive',
  suspend_user: 'Suspend the user',
}
const PLACES: Record<string, string> = {
  post: 'posts',
  user: 'users',
  list: 'lists',
  space: 'spaces',
  community: 'communities',
}

function ReportDetail({ report, changed }: { report: Report; changed: () => Promise<void> }) {
  const [comment, setComment] = useState('')
  const close = () => openPart('reports')
  const resolve = async (action: string) => {
    const isGrave = action === 'remove_post' || action === 'suspend_user'
    const words = 'All open reports about this are resolved with it.'
    if (isGrave && !(await confirm({ title: `${ACTIONS[action]}?`, words, action: ACTIONS[action]! }))) return
    await act(
      `Resolved: ${ACTIONS[action]!.toLowerCase()}.`,
      () => run('report.resolve', { report: report.id, action, comment }),
      async () => {
        close()
        await changed()
      },
    )
  }
  const place = PLACES[report.kind]
  const subject = report.kind === 'user' ? report.owner : report.subject_id
  return (
    <Detail title="Report" close={close}>
      <p class="quote">
        <Words>{report.excerpt || '(no text)'}</Words>
      </p>
      {report.actions && (
        <>
          <TextField label="Comment" name="comment" value={comment} onValue={setComment} maxLength={500} />
          <div class="acts">
            {report.actions.map((action) => (
              <Act key={action} onClick={() => resolve(action)}>
                {ACTIONS[action]!}
              </Act>
            ))}
          </div>
        </>
      )}
      <Facts
        facts={[
          ['About', place && subject ? <a href={href('world', place, subject)}>{report.kind}</a> : report.kind],
          ['Id', <code>{report.subject_id}</code>],
          [
            'User',
            report.owner && (
              <>
                <a href={href('world', 'users', report.owner)}>@{report.owner}</a>{' '}
                <Badges bad={[report.owner_suspended === true && 'suspended']} />
              </>
            ),
          ],
          ['Reason', report.reason],
          ['Comment', report.comment && <Words>{report.comment}</Words>],
          ['Reported by', <a href={href('world', 'users', report.reporter)}>@{report.reporter}</a>],
          ['Time', momentOf(report.created_at)],
          ['Open reports', report.state === 'open' ? String(report.open_reports) : undefined],
          ['Action', report.action && ACTIONS[report.action]],
          ['Decision', report.resolution && <Words>{report.resolution}</Words>],
          ['Resolved', report.resolved_at && momentOf(report.resolved_at)],
        ]}
      />
    </Detail>
  )
}

function Audit({ id }: { id: string | undefined }) {
  const [name, outcome, actor] = [filterOf('name'), filterOf('outcome'), filterOf('actor')]
  const pages = usePages(
    async (after) => {
      const { entries, next } = await run<typeof auditList>('audit.list', { name, outcome, actor, after })
      return { rows: entries, next }
    },
    [name, outcome, actor],
  )
  const entry = pages.rows?.find((row) => row.id === id)
  return (
    <>
      <div class="row">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            setQuery('name', new FormData(event.currentTarget).get('name') as string)
          }}
        >
          <TextField key={name} label="Command" name="name" value={name ?? ''} isFilter placeholder="user.update" />
        </form>
        <Select
          label="How it ended"
          name="outcome"
          value={outcome ?? ''}
          options={[['', 'All'], 'done', 'refused', 'failed', 'started']}
          onValue={(value) => setQuery('outcome', value)}
        />
        <Select
          label="Who"
          name="actor"
          value={actor ?? ''}
          options={[['', 'Everybody'], 'admin key', 'console session', 'command line']}
          onValue={(value) => setQuery('actor', value)}
        />
        <button type="button" class="button" onClick={() => void pages.reload()}>
          Reload
        </button>
      </div>
      <div class="split">
        <Listing
          label="Audit log"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => openPart('audit', row.id)}
          opened={id}
          toneOf={(row) => (row.outcome === 'done' ? undefined : 'bad')}
          empty="Nothing was changed."
          columns={[
            { title: 'Time', show: (row) => <span class="when">{momentOf(row.recorded_at).slice(5)}</span> },
            { title: 'Command', show: (row) => row.name, isMono: true },
            {
              title: 'Arguments',
              show: (row) => <Words>{JSON.stringify(row.arguments)}</Words>,
              isWide: true,
              isExtra: true,
            },
            { title: 'Who', show: (row) => row.actor, isExtra: true },
            { title: 'End', show: (row) => row.outcome },
          ]}
        />
        {entry && (
          <Detail title={entry.name} close={() => openPart('audit')}>
            <Facts
              facts={[
                ['Who', entry.actor],
                ['Real time', momentOf(entry.recorded_at)],
                ['Product time', momentOf(entry.happened_at)],
                ['End', `${entry.outcome}${entry.status === null ? '' : ` (${entry.status})`}`],
              ]}
            />
            <h3>Arguments</h3>
            <Code text={JSON.stringify(entry.arguments, null, 2)} what="arguments" />
            {entry.result !== null && (
              <>
                <h3>{entry.outcome === 'done' ? 'Result' : 'Refusal'}</h3>
                <Code text={JSON.stringify(entry.result, null, 2)} what="result" />
              </>
            )}
          </Detail>
        )}
      </div>
    </>
  )
}
