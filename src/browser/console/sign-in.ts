import { signal } from '@preact/signals'
import { CallError, get, post, signedIn } from './kit/client.ts'
import { go, href, path, query } from './kit/router.ts'

/** Why the link did not sign this browser in. */
export const signInProblem = signal<string | undefined>(undefined)

/** Exchanges the code of the link for a session, or finds the session that this browser has. */
export async function signIn(): Promise<void> {
  const code = query.value.get('code')
  // A page that is loaded ahead must not use the code up.
  const { prerendering } = document as { prerendering?: boolean }
  if (prerendering)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }))
  try {
    if (code !== null) {
      // The code does not stay in the history.
      go(href(...path.value), { replace: true })
      await post('/_rostra/console-session', { code }).catch((error: unknown) => {
        if (!(error instanceof CallError)) throw error
        signInProblem.value = error.message
      })
    }
    const { signed_in } = await get<{ signed_in: boolean }>('/_rostra/console-session')
    signedIn.value = signed_in
  } catch (error) {
    signInProblem.value = (error as Error).message
    signedIn.value = false
  }
}

export async function signOut(): Promise<void> {
  await post('/_rostra/console-session/end')
  signedIn.value = false
}
