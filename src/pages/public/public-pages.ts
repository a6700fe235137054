import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { articlePage } from './article.page.ts'
import { communityPage } from './community.page.ts'
import { followPages } from './follows.page.ts'
import { listPages } from './list.page.ts'
import { newsPage } from './news.page.ts'
import { oembed } from './oembed.ts'
import { postPage } from './post.page.ts'
import { postListPages } from './post-lists.page.ts'
import { profileLikesPage, profileMediaPage, profilePage, profileRepliesPage } from './profile.page.ts'
import { redirects } from './redirects.ts'
import { robots } from './robots.ts'
import { searchPage } from './search.page.ts'
import { spacePage } from './space.page.ts'
import { trendsPage } from './trends.page.ts'

/** The pages that need no sign-in, and what machines read about them. The front page is with the console, which may be in its place. */
export const publicPages: readonly Endpoint[] = [
  profilePage,
  profileRepliesPage,
  profileMediaPage,
  profileLikesPage,
  ...followPages,
  postPage,
  ...postListPages,
  ...redirects,
  ...listPages,
  communityPage,
  spacePage,
  articlePage,
  searchPage,
  trendsPage,
  newsPage,
  oembed,
  robots,
]
