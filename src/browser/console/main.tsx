import './console.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { signedIn } from './kit/client.ts'
import { startLive } from './kit/live.ts'
import { signIn } from './sign-in.ts'

render(<App />, document.getElementById('console')!)
signedIn.subscribe((isSignedIn) => {
  if (isSignedIn) void startLive()
})
void signIn()
