import './world.css'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { go, href, path, query } from '../kit/router.ts'
import { Tabs } from '../kit/tabs.tsx'
import { AppsTab } from './apps.tsx'
import { acting, chooseActing } from './calls.ts'
import { CommunitiesTab } from './communities.tsx'
import { ListsTab } from './lists.tsx'
import { ChatTab, MessagesTab } from './messages.tsx'
import { SearchField, type TabProps, UserField } from './parts.tsx'
import { PostsTab } from './posts.tsx'
import { SpacesTab } from './spaces.tsx'
import { UsersTab } from './users.tsx'

const TABS: readonly [path: string, title: string, search: string | undefined, Tab: ComponentType<TabProps>][] = [
  ['users', 'Users', 'Username, name or id', UsersTab],
  ['posts', 'Posts', 'Words of a post', PostsTab],
  ['lists', 'Lists', 'Part of the name', ListsTab],
  ['spaces', 'Spaces', 'Part of the title', SpacesTab],
  ['communities', 'Communities', 'Part of the name', CommunitiesTab],
  ['messages', 'Messages', undefined, MessagesTab],
  ['chat', 'Encrypted chat', undefined, ChatTab],
  ['apps', 'Apps', 'Name, id or key', AppsTab],
]

/** Everything in the world, and what can be done as anybody in it. */
export function WorldPage() {
  const [, name = 'users', id] = path.value
  const [tab, , searchLabel, Tab] = TABS.find(([known]) => known === name) ?? TABS[0]!
  const search = query.value.get('search') ?? undefined
  const user = query.value.get('user') ?? undefined
  useEffect(() => {
    void chooseActing()
  }, [])
  return (
    <>
      <div class="bar">
        <h1>World</h1>
        {searchLabel && <SearchField key={tab} label={searchLabel} value={search ?? ''} />}
        <UserField
          label="Act as"
          name="acting"
          value={acting.value}
          onValue={(value) => {
            acting.value = value
          }}
        />
      </div>
      <Tabs label="Parts of the world" page="world" current={tab} tabs={TABS.map(([known, title]) => [known, title])} />
      {user !== undefined && (
        <p class="small">
          Only of <bdi>@{user}</bdi>. <a href={href('world', tab)}>Show all</a>
        </p>
      )}
      <Tab
        key={tab}
        id={id}
        search={search}
        user={user}
        open={(opened) => openTab(tab, opened)}
        close={() => openTab(tab)}
      />
    </>
  )
}

function openTab(tab: string, id?: string): void {
  const filters = Object.fromEntries(query.value)
  go(id === undefined ? href('world', tab, filters) : href('world', tab, id, filters))
}
