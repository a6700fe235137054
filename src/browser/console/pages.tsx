import type { ComponentType } from 'preact'
import { AdvertisingPage } from './advertising/index.tsx'
import { DeliveriesPage } from './deliveries/index.tsx'
import { ExplorerPage } from './explorer/index.tsx'
import { HomePage } from './home/index.tsx'
import { ModerationPage } from './moderation/index.tsx'
import { RequestsPage } from './requests/index.tsx'
import { StreamsPage } from './streams/index.tsx'
import { TimePage } from './time/index.tsx'
import { WorldPage } from './world/index.tsx'

/** A page of the console. It reads the rest of the path and the filters from the router. */
export interface ConsolePage {
  /** The first part of the path; empty for the first page. */
  path: string
  title: string
  Page: ComponentType
}

/** In the order of the navigation. */
export const PAGES: readonly ConsolePage[] = [
  { path: '', title: 'Home', Page: HomePage },
  { path: 'requests', title: 'Requests', Page: RequestsPage },
  { path: 'deliveries', title: 'Deliveries', Page: DeliveriesPage },
  { path: 'streams', title: 'Streams', Page: StreamsPage },
  { path: 'world', title: 'World', Page: WorldPage },
  { path: 'time', title: 'Time and state', Page: TimePage },
  { path: 'advertising', title: 'Advertising', Page: AdvertisingPage },
  { path: 'explorer', title: 'Explorer', Page: ExplorerPage },
  { path: 'moderation', title: 'Moderation', Page: ModerationPage },
]
