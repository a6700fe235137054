import type { stateShow } from '../../../control/world/state-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { confirm } from '../kit/dialog.tsx'
import { Form, TextField } from '../kit/fields.tsx'
import { bytesOf, countOf, momentOf } from '../kit/format.ts'
import { Table } from '../kit/table.tsx'
import { attempt, say } from '../kit/toast.tsx'

type Snapshot = ResultOf<typeof stateShow>['snapshots'][number]

/** Copies of the world with its clock. */
export function Snapshots(props: { snapshots: Snapshot[]; changed: () => Promise<void> }) {
  const run = async (name: string, args: Record<string, unknown>, done: string) => {
    await attempt(done, () => command(name, args))
    await props.changed()
  }
  const restore = async ({ name }: Snapshot) => {
    const isSure = await confirm({
      title: `Restore ${name}?`,
      words: 'Everything that has changed since is lost.',
      action: 'Restore',
    })
    if (isSure) await run('snapshot.restore', { name }, `The world is as in ${name}.`)
  }
  const remove = async ({ name }: Snapshot) => {
    const words = 'The copy is deleted. The world stays as it is.'
    if (await confirm({ title: `Delete ${name}?`, words, action: 'Delete' }))
      await run('snapshot.delete', { name }, `${name} is deleted.`)
  }
  const save = async (fields: Record<string, string>) => {
    await command('snapshot.save', { name: fields.name })
    say(`The world is saved as ${fields.name}.`)
    await props.changed()
  }
  return (
    <section class="card">
      <h2>Snapshots</h2>
      <Table
        label="Snapshots"
        rows={props.snapshots}
        keyOf={(row) => row.name}
        empty="A snapshot is a copy of the whole world with its clock."
        columns={[
          {
            title: 'Name',
            show: (row) => (
              <>
                {row.name} <span class="made">{momentOf(row.created_at)}</span>
              </>
            ),
            isWide: true,
          },
          {
            title: 'Size',
            show: (row) => <span title={`${countOf(row.rows)} rows`}>{bytesOf(row.bytes)}</span>,
            isNumber: true,
          },
          {
            title: 'Actions',
            show: (row) => (
              <span class="rowactions">
                <button
                  type="button"
                  class="button small"
                  disabled={!row.restorable}
                  aria-label={`Restore ${row.name}`}
                  onClick={() => restore(row)}
                >
                  Restore
                </button>
                <button
                  type="button"
                  class="button small"
                  aria-label={`Delete ${row.name}`}
                  onClick={() => remove(row)}
                >
                  Delete
                </button>
              </span>
            ),
          },
        ]}
      />
      <Form action="Save" send={save}>
        <TextField label="New snapshot" name="name" isRequired maxLength={100} placeholder="before" />
      </Form>
    </section>
  )
}
