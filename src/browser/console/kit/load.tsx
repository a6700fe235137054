import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from './client.ts'

/** Something that is read from the server. */
export interface Loaded<T> {
  value: T | undefined
  error: string | undefined
  /** Reads it again. */
  reload: () => Promise<void>
  /** Takes over what the server told by itself. */
  set: (value: T) => void
}

/** Reads something when the page is shown, and again when `keys` change. */
export function useLoaded<T>(read: () => Promise<T>, keys: readonly unknown[] = []): Loaded<T> {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const turn = useRef(0)
  const latest = useRef(read)
  latest.current = read
  const reload = useCallback(async () => {
    turn.current += 1
    const mine = turn.current
    try {
      const found = await latest.current()
      // A slower answer to an earlier question must not replace this one.
      if (mine !== turn.current) return
      setValue(found)
      setError(undefined)
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown
      if (mine === turn.current) setError(thrown.message)
    }
  }, [])
  const set = useCallback((told: T) => {
    turn.current += 1
    setValue(told)
    setError(undefined)
  }, [])
  useEffect(() => {
    void reload()
  }, keys)
  return { value, error, reload, set }
}

/** Shows what was read, or why it could not be. */
export function Show<T>(props: { loaded: Loaded<T>; children: (value: T) => ComponentChildren }) {
  const { value, error } = props.loaded
  if (error !== undefined)
    return (
      <p class="alert" role="alert">
        {error}
      </p>
    )
  return value === undefined ? <p class="soft">Loading …</p> : <>{props.children(value)}</>
}
