import type { Endpoint } from '../api-kit/declaring/endpoint.ts'
import { buttonActions } from './actions.ts'
import { assetEndpoint } from './assets.ts'
import { homePage } from './home.page.ts'
import { postPage } from './post.page.ts'
import { profilePage } from './profile.page.ts'

/** Every page for people, and what their forms do. */
export const peoplePages: readonly Endpoint[] = [assetEndpoint, homePage, profilePage, postPage, ...buttonActions]
