import { statement } from '../../storage/statement.ts'

/** Makes every kept count stale, for example because other accounts are public than before. */
export const allCountsChanged = statement('search_counts_changed', {}, 'insert into search_change (coarse) values (-1)')
