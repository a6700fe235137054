import { useState } from 'preact/hooks'
import type { stateShow } from '../../../control/world/state-command.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Form, Select, TextField } from '../kit/fields.tsx'
import { Table } from '../kit/table.tsx'
import { attempt, say } from '../kit/toast.tsx'

type Fault = ResultOf<typeof stateShow>['faults'][number]

/** What can happen to a request: the argument of the command, its label, and what it is at first. */
const EFFECTS: [argument: string, label: string, initial: string][] = [
  ['status', 'Answer with a status', '503'],
  ['named', 'Answer with a refusal of the platform', 'rate-limited'],
  ['delay_ms', 'Answer later (ms)', '2000'],
  ['drop_after_bytes', 'Cut the answer after (bytes)', '100'],
  ['stall_ms', 'Send nothing for (ms)', '25000'],
  ['malformed', 'Answer with text that is not JSON', ''],
]

function effectOf(fault: Fault): string {
  const all = fault as unknown as Record<string, unknown>
  const [argument] = [...EFFECTS.map(([name]) => name), 'kind'].filter((name) => all[name] !== undefined)
  return argument === undefined ? '' : all[argument] === true ? argument : `${argument} ${all[argument]}`
}

const concerns = (fault: Fault): string =>
  [fault.app && `app ${fault.app}`, fault.user && `@${fault.user}`, fault.webhook_id && `webhook ${fault.webhook_id}`]
    .filter(Boolean)
    .join(', ') || 'all'

/** What fails on purpose. */
export function Faults(props: { faults: Fault[]; failures: readonly string[]; changed: () => Promise<void> }) {
  const clear = async (id?: string) => {
    await attempt(id === undefined ? 'All faults are cleared.' : 'The fault is cleared.', () =>
      command('fault.clear', id === undefined ? {} : { id }),
    )
    await props.changed()
  }
  return (
    <section class="card">
      <h2>Faults</h2>
      <Table
        label="Faults"
        rows={props.faults}
        keyOf={(row) => row.id}
        toneOf={(row) => (row.active ? undefined : 'soft')}
        empty="Nothing fails on purpose."
        columns={[
          { title: 'Requests', show: (row) => row.match ?? 'deliveries', isMono: true, isWide: true },
          { title: 'What happens', show: effectOf, isMono: true },
          { title: 'For', show: concerns, isExtra: true },
          {
            title: 'Used',
            show: (row) => (row.times === undefined ? row.used : `${row.used} of ${row.times}`),
            isNumber: true,
          },
          {
            title: 'Actions',
            show: (row) => (
              <button
                type="button"
                class="button small"
                aria-label={`Clear fault ${row.id}`}
                onClick={() => clear(row.id)}
              >
                Clear
              </button>
            ),
          },
        ]}
      />
      {props.faults.length > 1 && (
        <div class="actions">
          <button type="button" class="button" onClick={() => clear()}>
            Clear all faults
          </button>
        </div>
      )}
      <NewFault failures={props.failures} changed={props.changed} />
    </section>
  )
}

function NewFault(props: { failures: readonly string[]; changed: () => Promise<void> }) {
  const [effect, setEffect] = useState('status')
  const [, , initial] = EFFECTS.find(([name]) => name === effect)!
  const add = async (fields: Record<string, string>) => {
    const value = effect === 'malformed' ? true : effect === 'named' ? fields.value : Number(fields.value || initial)
    const made = (await command('fault.add', {
      match: fields.match,
      [effect]: value,
      ...(fields.times ? { times: Number(fields.times) } : {}),
      ...(fields.rate ? { rate: Number(fields.rate) } : {}),
      ...(fields.app ? { app: fields.app } : {}),
      ...(fields.user ? { user: fields.user } : {}),
    })) as { warning?: string }
    say(made.warning ?? 'The fault is set.', { isBad: made.warning !== undefined })
    await props.changed()
  }
  return (
    <details class="newfault">
      <summary>Make requests fail</summary>
      <Form action="Add the fault" send={add}>
        <div class="row">
          <TextField label="Requests" name="match" isRequired placeholder="POST /2/posts" maxLength={200} />
          <Select
            label="What happens"
            name="effect"
            value={effect}
            options={EFFECTS.map(([name, label]) => [name, label])}
            onValue={setEffect}
          />
          {effect === 'named' ? (
            <Select label="Refusal" name="value" value={initial} options={props.failures} />
          ) : (
            effect !== 'malformed' && (
              <TextField key={effect} label="Value" name="value" type="number" placeholder={initial} min={0} />
            )
          )}
        </div>
        <div class="row">
          <TextField label="Times" name="times" type="number" min={1} placeholder="until cleared" />
          <TextField label="Share of requests" name="rate" placeholder="0.5" />
          <TextField label="App" name="app" placeholder="all" maxLength={50} />
          <TextField label="User" name="user" placeholder="all" maxLength={50} />
        </div>
      </Form>
    </details>
  )
}
