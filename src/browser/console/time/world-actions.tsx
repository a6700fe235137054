import type { worldSeed } from '../../../control/world/seed-command.ts'
import { command, post } from '../kit/client.ts'
import { confirm } from '../kit/dialog.tsx'
import { Form, TextField } from '../kit/fields.tsx'
import { countOf } from '../kit/format.ts'
import { attempt, say } from '../kit/toast.tsx'

/** Fills the world, or begins it again. */
export function WorldActions(props: { changed: () => Promise<void> }) {
  const seed = async (fields: Record<string, string>) => {
    const made = await command<typeof worldSeed>('world.seed', {
      seed: Number(fields.seed || 1),
      users: Number(fields.users || 100),
      posts: Number(fields.posts || 1_000),
    })
    say(
      made.outcome === 'present'
        ? 'This world has that seed already.'
        : `Made ${countOf(made.users)} users, ${countOf(made.follows)} follows and ${countOf(made.posts)} posts.`,
    )
    await props.changed()
  }
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset the world?',
      words: 'All users, posts, apps and tokens are deleted, and the first world is created again. Snapshots stay.',
      action: 'Reset the world',
    })
    if (!isSure) return
    await attempt('The first world was created again.', () => post('/_rostra/reset'))
    await props.changed()
  }
  return (
    <div class="grid">
      <section class="card">
        <h2>Seed</h2>
        <p class="soft small">
          Adds users, follows, posts, likes and pictures of the last 30 days. The same seed gives the same.
        </p>
        <Form action="Seed" send={seed}>
          <div class="row">
            <TextField label="Seed" name="seed" type="number" placeholder="1" min={0} />
            <TextField label="Users" name="users" type="number" placeholder="100" min={1} max={10_000} />
            <TextField label="Posts" name="posts" type="number" placeholder="1000" min={0} max={100_000} />
          </div>
        </Form>
      </section>
      <section class="card">
        <h2>Reset</h2>
        <p class="soft small">Deletes everything and creates the first world again. Its credentials stay the same.</p>
        <div class="actions">
          <button type="button" class="button" onClick={reset}>
            Reset the world
          </button>
        </div>
      </section>
    </div>
  )
}
