import { type CodeSet, codeSet } from './iab-codes.ts'

/** The content categories of videos. Line items target complete sets of their codes. */
export const CONTENT_CATEGORIES: readonly CodeSet[] = [
  codeSet('ru', 'Automotive (Cars, Trucks, Racing)', 'IAB2'),
  codeSet('sk', 'Comedy', 'IAB1-4'),
  codeSet('sl', 'Digital Creators', 'IAB25-1'),
  codeSet('sm', 'Entertainment & Pop Culture', 'IAB1-1..3 IAB1-5'),
  codeSet('sn', 'Financial & Business News', 'IAB3 IAB13 IAB21'),
  codeSet('so', 'Food & Drink', 'IAB8-1..4 IAB8-6..17'),
  codeSet(
    'sp',
    'Lifestyle (Fashion, Travel, Wellness)',
    'IAB4 IAB6 IAB7 IAB10 IAB16 IAB18 IAB20 IAB22 IAB23 IAB9-1..29 IAB9-31',
  ),
  codeSet('sq', 'Music', 'IAB1-6'),
  codeSet('sr', 'News & Current Events', 'IAB12 IAB14'),
  codeSet('s4', 'Politics', 'IAB11'),
  codeSet('ss', 'Science & Education', 'IAB5 IAB15'),
  codeSet('se', 'Sports', 'IAB17'),
  codeSet('sg', 'Technology', 'IAB19'),
  codeSet('sh', 'Television', 'IAB1-7'),
  codeSet('s0', 'Esports & Video Games', 'IAB9-30'),
]

/** Ids of the content categories. */
export const CONTENT_CATEGORY_IDS: readonly string[] = CONTENT_CATEGORIES.map((item) => item.id)
