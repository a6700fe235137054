import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { CallError } from './client.ts'

interface Field {
  label: string
  name: string
  help?: string | undefined
  isRequired?: boolean | undefined
  value?: string | undefined
  onValue?: (value: string) => void
}

function Labelled(props: { id: string; label: string; help?: string | undefined; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={props.id}>{props.label}</label>
      {props.children}
      {props.help && <p class="help">{props.help}</p>}
    </div>
  )
}

/** What a field has at first. Without a listener, what was typed since must stay when the page is drawn again. */
const contentOf = ({ value, onValue }: Field) => (onValue ? { value } : { defaultValue: value })

/** A line of text. `data-filter` fields are reached with `/`. */
export function TextField(
  props: Field & {
    type?: 'text' | 'number' | 'search' | 'url' | 'email' | 'password' | 'datetime-local'
    placeholder?: string
    isFilter?: boolean
    min?: number
    max?: number
    maxLength?: number
  },
) {
  const id = useId()
  return (
    <Labelled id={id} label={props.label} help={props.help}>
      <input
        id={id}
        name={props.name}
        // The types of JSX know an input by one kind at a time.
        type={(props.type ?? 'text') as 'text'}
        {...contentOf(props)}
        placeholder={props.placeholder}
        required={props.isRequired}
        min={props.min}
        max={props.max}
        maxLength={props.maxLength}
        autocomplete="off"
        data-filter={props.isFilter ? '' : undefined}
        onInput={(event) => props.onValue?.(event.currentTarget.value)}
      />
    </Labelled>
  )
}

/** Several lines of text. */
export function TextArea(props: Field & { rows?: number; isMono?: boolean }) {
  const id = useId()
  return (
    <Labelled id={id} label={props.label} help={props.help}>
      <textarea
        id={id}
        name={props.name}
        rows={props.rows ?? 4}
        required={props.isRequired}
        class={props.isMono ? 'mono' : undefined}
        {...contentOf(props)}
        onInput={(event) => props.onValue?.(event.currentTarget.value)}
      />
    </Labelled>
  )
}

/** One of some words. */
export function Select(props: Field & { options: readonly (string | [value: string, shown: string])[] }) {
  const id = useId()
  return (
    <Labelled id={id} label={props.label} help={props.help}>
      <select
        id={id}
        name={props.name}
        value={props.onValue && props.value}
        required={props.isRequired}
        onChange={(event) => props.onValue?.(event.currentTarget.value)}
      >
        {props.options.map((option) => {
          const [value, shown] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={value} value={value} selected={value === props.value}>
              {shown}
            </option>
          )
        })}
      </select>
    </Labelled>
  )
}

/** Yes or no. */
export function Checkbox(props: { label: string; name: string; isOn?: boolean; onValue?: (isOn: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={props.name}
        checked={props.isOn}
        onChange={(event) => props.onValue?.(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  )
}

/** A form. `send` gets its fields; what it throws is shown above the button. */
export function Form(props: {
  send: (fields: Record<string, string>) => Promise<unknown>
  action: string
  children: ComponentChildren
}) {
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const fields = Object.fromEntries([...data].filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    setBusy(true)
    setError(undefined)
    try {
      await props.send(fields)
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown
      setError(thrown.message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit}>
      {props.children}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="button first" disabled={isBusy}>
          {props.action}
        </button>
      </div>
    </form>
  )
}
