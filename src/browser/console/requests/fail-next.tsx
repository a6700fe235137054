import type { RecordedRequest } from '../../../api-kit/serving/request-log.ts'
import { command } from '../kit/client.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Checkbox, Form, Select, TextField } from '../kit/fields.tsx'
import { say } from '../kit/toast.tsx'

/** How it fails, as arguments of `fault.add`. */
const EFFECTS: Record<string, [shown: string, args: Record<string, unknown>]> = {
  '429': ['429, too many requests', { status: 429 }],
  '500': ['500, an internal error', { status: 500 }],
  '503': ['503, unavailable', { status: 503 }],
  '401': ['401, not authenticated', { status: 401 }],
  '403': ['403, forbidden', { status: 403 }],
  '404': ['404, not found', { status: 404 }],
  slow: ['answered after 5 seconds', { delay_ms: 5_000 }],
  cut: ['the connection is cut', { drop_after_bytes: 0 }],
  malformed: ['an answer that is not JSON', { malformed: true }],
}

/** Makes the next requests like this one fail on purpose. */
export function FailNext(props: { request: RecordedRequest; close: () => void }) {
  const { method, path, app_id, app } = props.request
  const send = async (fields: Record<string, string>) => {
    const [shown, effect] = EFFECTS[fields.effect!]!
    const args = {
      match: fields.match!,
      times: Number(fields.times),
      ...effect,
      ...(fields.only && app_id ? { app: app_id } : {}),
    }
    const made = (await command('fault.add', args)) as { warning?: string }
    say(made.warning ?? `The next ${args.times === 1 ? 'one' : args.times} will fail: ${shown}.`)
    props.close()
  }
  return (
    <Dialog title="Fail the next one" close={props.close}>
      <Form send={send} action="Set the fault">
        <TextField
          label="Requests"
          name="match"
          value={`${method} ${path.split('?')[0]}`}
          isRequired
          help="Method and path; * stands for anything."
        />
        <Select
          label="What happens"
          name="effect"
          value="500"
          options={Object.entries(EFFECTS).map(([value, [shown]]) => [value, shown])}
        />
        <TextField label="How often" name="times" type="number" min={1} max={1_000} value="1" isRequired />
        {app && <Checkbox label={`Only requests of the app ${app}`} name="only" isOn />}
      </Form>
    </Dialog>
  )
}
