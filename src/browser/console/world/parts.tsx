import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import type { userListCommand } from '../../../control/user-commands.ts'
import type { REPORT_REASONS } from '../../../social/reports/report.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Form, Select, TextArea } from '../kit/fields.tsx'
import { setQuery } from '../kit/router.ts'
import { type Column, Table } from '../kit/table.tsx'
import { acting, type Pages, run } from './calls.ts'

/** Usernames that fields suggest. */
const suggested = signal<string[]>([])
let isAsked = false

async function suggest(): Promise<void> {
  if (isAsked) return
  isAsked = true
  const { users } = await run<typeof userListCommand>('user.list', { limit: 200 })
  suggested.value = users.map((user) => user.username)
}

/** A field for the name of a user. */
export function UserField(props: {
  label: string
  name: string
  value?: string
  onValue?: (value: string) => void
  isRequired?: boolean
}) {
  const id = useId()
  useEffect(() => {
    void suggest()
  }, [])
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        key={props.value}
        id={id}
        name={props.name}
        list={`${id}-users`}
        defaultValue={props.value}
        required={props.isRequired}
        placeholder="username"
        autocomplete="off"
        onChange={(event) => props.onValue?.(event.currentTarget.value.trim().replace(/^@/, ''))}
      />
      <datalist id={`${id}-users`}>
        {suggested.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}

/** A search field whose text is in the address. It searches when the field is left, and after Enter. */
export function SearchField(props: { label: string; value: string }) {
  const id = useId()
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        setQuery('search', new FormData(event.currentTarget).get('search') as string)
      }}
    >
      <label for={id}>{props.label}</label>
      <input
        id={id}
        name="search"
        type="search"
        key={props.value}
        defaultValue={props.value}
        data-filter=""
        maxLength={50}
        autocomplete="off"
      />
    </form>
  )
}

/** A list with its pages. */
export function Listing<Row>(props: {
  label: string
  pages: Pages<Row>
  columns: Column<Row>[]
  keyOf: (row: Row) => string
  open?: (row: Row) => void
  opened?: string | undefined
  toneOf?: (row: Row) => 'bad' | 'soft' | undefined
  empty: ComponentChildren
}) {
  const { pages, ...table } = props
  if (pages.error !== undefined)
    return (
      <p class="alert" role="alert">
        {pages.error}
      </p>
    )
  if (!pages.rows) return <p class="soft">Loading …</p>
  return (
    <div>
      <Table {...table} rows={pages.rows} />
      {pages.more && (
        <p class="more">
          <button type="button" class="button" onClick={pages.more}>
            More
          </button>
        </p>
      )}
    </div>
  )
}

/** A button that opens a form in a dialog. The dialog closes when the form was sent. */
export function FormButton(props: {
  button: string
  title: string
  action: string
  isFirst?: boolean
  send: (fields: Record<string, string>) => Promise<unknown>
  /** What the form led to, shown instead of closing the dialog. */
  result?: (sent: never) => ComponentChildren
  children: ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const [sent, setSent] = useState<unknown>()
  const close = () => {
    setOpen(false)
    setSent(undefined)
  }
  return (
    <>
      <button type="button" class={`button small ${props.isFirst ? 'first' : ''}`} onClick={() => setOpen(true)}>
        {props.button}
      </button>
      {isOpen && (
        <Dialog title={props.title} close={close}>
          {sent !== undefined && props.result ? (
            props.result(sent as never)
          ) : (
            <Form
              action={props.action}
              send={async (fields) => {
                const result = await props.send(fields)
                if (props.result) setSent(result)
                else close()
              }}
            >
              {props.children}
            </Form>
          )}
        </Dialog>
      )}
    </>
  )
}

/** A small button. */
export function Act(props: { children: string; onClick: () => unknown; label?: string }) {
  return (
    <button type="button" class="button small" aria-label={props.label} onClick={() => void props.onClick()}>
      {props.children}
    </button>
  )
}

/** A text that users wrote. */
export const Words = (props: { children: string | null | undefined }) => <bdi class="words">{props.children}</bdi>

/** Marks of something. */
export const Badges = (props: { bad?: readonly (string | false)[]; soft?: readonly (string | false)[] }) => (
  <span class="badges">
    {(props.bad ?? []).map((word) => word && <span class="badge bad">{word}</span>)}
    {(props.soft ?? []).map((word) => word && <span class="badge">{word}</span>)}
  </span>
)

/** What a tab gets: the id of what is open, and how to open and close something. */
export interface TabProps {
  id: string | undefined
  search: string | undefined
  user: string | undefined
  open: (id: string) => void
  close: () => void
}

const REASONS: [keyof typeof REPORT_REASONS, string][] = [
  ['spam', 'Spam'],
  ['abuse', 'Abuse or harassment'],
  ['hate', 'Hate'],
  ['violence', 'Violent speech'],
  ['self_harm', 'Suicide or self-harm'],
  ['sensitive', 'Sensitive or disturbing media'],
  ['impersonation', 'Impersonation'],
  ['privacy', 'Private information'],
  ['illegal', 'Illegal goods or activities'],
  ['other', 'Something else'],
]

/** Lets the acting user report something. */
export function ReportButton(props: { kind: string; id: string; done: () => unknown }) {
  return (
    <FormButton
      button="Report"
      title={`A report of @${acting.value}`}
      action="Report"
      send={async (fields) => {
        await run('report.create', { user: acting.value, kind: props.kind, id: props.id, ...fields })
        await props.done()
      }}
    >
      <Select label="Reason" name="reason" value="spam" options={REASONS} />
      <TextArea label="Comment" name="comment" />
    </FormButton>
  )
}
