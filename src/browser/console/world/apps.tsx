import { useState } from 'preact/hooks'
import type { appListCommand } from '../../../control/app-commands.ts'
import { command } from '../kit/client.ts'
import { Copy, Secret } from '../kit/copy.tsx'
import { Detail, Facts } from '../kit/detail.tsx'
import { confirm, Dialog } from '../kit/dialog.tsx'
import { Select, TextArea, TextField } from '../kit/fields.tsx'
import { href } from '../kit/router.ts'
import { attempt } from '../kit/toast.tsx'
import { act, acting, run, usePages, useRow, type Wire } from './calls.ts'
import { Act, Badges, FormButton, Listing, type TabProps, UserField, Words } from './parts.tsx'

type App = Wire<NonNullable<(typeof appListCommand)['types']>['result']>['apps'][number]
/** What is shown once of a new app, or of one with new keys. */
type Keys = Record<string, unknown>

const TIERS = ['free', 'self-serve', 'enterprise', 'partner']
const LEVELS = ['read', 'read-write', 'read-write-messages']
const SECRETS = ['api_key', 'api_key_secret', 'bearer_token', 'client_id', 'client_secret']

/** Each line is a callback. */
const linesOf = (text: string | undefined) => (text ?? '').split(/\s+/).filter((line) => line !== '')

const NewKeys = (props: { keys: Keys }) => (
  <>
    <p>The secrets are shown only now.</p>
    <Facts
      facts={SECRETS.filter((name) => typeof props.keys[name] === 'string').map((name) => [
        name,
        <Secret value={props.keys[name] as string} what={name} />,
      ])}
    />
  </>
)

function AppFields(props: { app?: App }) {
  const { app } = props
  return (
    <>
      <TextField label="Name" name="name" value={app?.name} isRequired maxLength={50} />
      <TextField label="Description" name="description" value={app?.description} maxLength={200} />
      <Select label="Tier" name="tier" value={app?.tier ?? 'self-serve'} options={TIERS} />
      <Select
        label="Permission"
        name="permission_level"
        value={app?.permission_level ?? 'read-write-messages'}
        options={LEVELS}
      />
      <Select
        label="Type"
        name="client_type"
        value={app?.client_type ?? 'confidential'}
        options={['confidential', 'public']}
      />
      <Select label="Naming" name="naming" value={app?.naming ?? 'auto'} options={['auto', 'legacy']} />
      <TextArea
        label="Callbacks"
        name="callback_urls"
        value={(app?.callback_urls ?? []).join('\n')}
        rows={3}
        isMono
        help="One address in each line"
      />
    </>
  )
}

export function AppsTab({ id, search, open, close }: TabProps) {
  const pages = usePages(
    async (after) => {
      const { apps, next } = await run<typeof appListCommand>('app.list', { query: search, after, limit: 50 })
      return { rows: apps, next }
    },
    [search],
  )
  const app = useRow(pages, id, async (query) => (await run<typeof appListCommand>('app.list', { query })).apps)
  return (
    <>
      <div class="row">
        <FormButton
          button="New app"
          title="New app"
          action="Create"
          isFirst
          send={async ({ callback_urls: callbacks, ...fields }) => {
            const made = await run<{ types?: { args: object; result: Keys } }>('app.create', {
              ...fields,
              callback_urls: linesOf(callbacks),
            })
            await pages.reload()
            return made
          }}
          result={(made: Keys) => <NewKeys keys={made} />}
        >
          <UserField label="Owner" name="owner" value={acting.value} isRequired />
          <AppFields />
        </FormButton>
      </div>
      <div class="split">
        <Listing
          label="Apps"
          pages={pages}
          keyOf={(row) => row.id}
          open={(row) => open(row.id)}
          opened={id}
          empty="No app fits."
          columns={[
            { title: 'Name', show: (row) => <Words>{row.name}</Words>, isWide: true },
            { title: 'Owner', show: (row) => <bdi>@{row.owner}</bdi>, isExtra: true },
            { title: 'Tier', show: (row) => row.tier },
            { title: 'State', show: (row) => <Badges bad={[row.suspended && 'suspended']} />, isExtra: true },
          ]}
        />
        {app && <AppDetail key={id} app={app} close={close} changed={pages.reload} />}
      </div>
    </>
  )
}

function AppDetail(props: { app: App; close: () => void; changed: () => Promise<void> }) {
  const { app, changed } = props
  const [keys, setKeys] = useState<Keys>()
  const rotate = async () => {
    const words = 'The old keys, and all tokens of the app, stop working at once.'
    if (!(await confirm({ title: 'New keys?', words, action: 'Make new keys' }))) return
    setKeys(
      await attempt('The app has new keys.', () =>
        run<{ types?: { args: object; result: Keys } }>('app.rotate', { app: app.id }),
      ),
    )
    await changed()
  }
  return (
    <Detail title={<Words>{app.name}</Words>} close={props.close}>
      <div class="acts">
        <FormButton
          button="Edit"
          title="Edit the app"
          action="Save"
          send={async ({ callback_urls: callbacks, ...fields }) => {
            await command('app.update', { app: app.id, ...fields, callback_urls: linesOf(callbacks) })
            await changed()
          }}
        >
          <AppFields app={app} />
        </FormButton>
        <Act
          onClick={() =>
            act(
              app.suspended ? 'No longer suspended.' : 'Suspended.',
              () => command('app.update', { app: app.id, suspended: !app.suspended }),
              changed,
            )
          }
        >
          {app.suspended ? 'End suspension' : 'Suspend'}
        </Act>
        <Act onClick={rotate}>New keys</Act>
      </div>
      <Facts
        facts={[
          ['Id', <code>{app.id}</code>],
          ['Owner', <a href={href('world', 'users', app.owner)}>@{app.owner}</a>],
          ['Description', app.description && <Words>{app.description}</Words>],
          ['Tier', app.tier],
          ['Permission', app.permission_level],
          ['Type', app.client_type],
          ['Naming', app.naming],
          ['State', app.suspended ? 'suspended' : 'active'],
          ['API key', <Secret value={app.api_key} what="API key" />],
          [
            'Client id',
            <>
              <code>{app.client_id}</code> <Copy text={app.client_id} what="client id" />
            </>,
          ],
          ['Project', <Words>{app.project_name}</Words>],
          ['Callbacks', app.callback_urls.length > 0 && <Words>{app.callback_urls.join('\n')}</Words>],
        ]}
      />
      {keys && (
        <Dialog title="New keys" close={() => setKeys(undefined)}>
          <NewKeys keys={keys} />
        </Dialog>
      )}
    </Detail>
  )
}
