import { useSignal } from '@preact/signals'
import type { triggerEvent, triggerList } from '../../../control/triggers/trigger.ts'
import { command, type ResultOf } from '../kit/client.ts'
import { Facts } from '../kit/detail.tsx'
import { Form, Select, TextArea, TextField } from '../kit/fields.tsx'
import { Show, useLoaded } from '../kit/load.tsx'
import { href, query, setQuery } from '../kit/router.ts'

type Done = ResultOf<typeof triggerEvent>

/** Makes an event happen for real, so whatever listens to it gets it. */
export function Trigger() {
  const types = useLoaded(() => command<typeof triggerList>('trigger.list'))
  const done = useSignal<Done | undefined>(undefined)
  return (
    <Show loaded={types}>
      {({ event_types: all }) => {
        const name = query.value.get('type') ?? 'post.create'
        const type = all.find((item) => item.event_type === name) ?? all[0]!
        const takes = (argument: string) => type.takes.includes(argument)
        const send = async (fields: Record<string, string>) => {
          const given = Object.entries(fields).filter(([, value]) => value.trim() !== '')
          done.value = undefined
          done.value = await command<typeof triggerEvent>('trigger', {
            ...Object.fromEntries(given),
            event_type: type.event_type,
          })
        }
        return (
          <div class="grid">
            <section class="card">
              <h2>Trigger an event</h2>
              <p class="soft small">
                It is caused by its real action, so streams and webhooks report it like any other. U is the user who
                acts, T the target.
              </p>
              <Form send={send} action="Trigger">
                <Select
                  label="Event"
                  name="event_type"
                  value={type.event_type}
                  help={type.does}
                  options={all.map((item) => item.event_type)}
                  onValue={(value) => {
                    done.value = undefined
                    setQuery('type', value)
                  }}
                />
                {takes('user') && <TextField label="User (U)" name="user" placeholder="alice" maxLength={50} />}
                {takes('target') && <TextField label="Target (T)" name="target" placeholder="bob" maxLength={50} />}
                {takes('post_id') && (
                  <TextField label="Post id" name="post_id" placeholder="found or written when empty" maxLength={19} />
                )}
                {takes('text') && <TextArea label="Text" name="text" rows={3} />}
              </Form>
            </section>
            {done.value && (
              <section class="card" role="status">
                <h2>It happened</h2>
                {done.value.first.map((words) => (
                  <p key={words} class="soft">
                    First: {words}.
                  </p>
                ))}
                <p>{done.value.done}.</p>
                <Facts facts={[['Sequence', done.value.event_place ?? 'not in the log yet']]} />
                <p>
                  <a href={href('deliveries')}>See the deliveries</a>
                </p>
              </section>
            )}
          </div>
        )
      }}
    </Show>
  )
}
