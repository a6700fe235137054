/** What people do on websites, with the member of statistics that counts it. Types without one of their own are custom. */
export const WEB_CONVERSIONS = {
  ADDED_PAYMENT_INFO: 'conversion_payment_info_additions',
  ADD_TO_CART: 'conversion_add_to_carts',
  ADD_TO_WISHLIST: 'conversion_add_to_wishlists',
  CHECKOUT_INITIATED: 'conversion_checkouts_initiated',
  CONTENT_VIEW: 'conversion_content_views',
  CUSTOM: 'conversion_custom',
  DOWNLOAD: 'conversion_downloads',
  PRODUCT_CUSTOMIZATION: 'conversion_custom',
  PURCHASE: 'conversion_purchases',
  SEARCH: 'conversion_searches',
  SIGN_UP: 'conversion_sign_ups',
  SITE_VISIT: 'conversion_site_visits',
  START_TRIAL: 'conversion_custom',
  SUBSCRIBE: 'conversion_subscriptions',
} as const
export type WebConversionType = keyof typeof WEB_CONVERSIONS
export const WEB_CONVERSION_TYPES = Object.keys(WEB_CONVERSIONS) as WebConversionType[]

/** The first page that somebody sees after a click. It needs no event tag. */
export const LANDING_PAGE_VIEW = 'conversion_landing_page_views'

/** What people do in apps, with the member of statistics that counts it. */
export const APP_CONVERSIONS = {
  ACHIEVEMENT_UNLOCKED: 'mobile_conversion_achievements_unlocked',
  ADDED_PAYMENT_INFO: 'mobile_conversion_payment_info_additions',
  ADD_TO_CART: 'mobile_conversion_add_to_carts',
  ADD_TO_WISHLIST: 'mobile_conversion_add_to_wishlists',
  CHECKOUT_INITIATED: 'mobile_conversion_checkouts_initiated',
  CONTENT_VIEW: 'mobile_conversion_content_views',
  INSTALL: 'mobile_conversion_installs',
  INVITE: 'mobile_conversion_invites',
  LEVEL_ACHIEVED: 'mobile_conversion_levels_achieved',
  LOGIN: 'mobile_conversion_logins',
  PURCHASE: 'mobile_conversion_purchases',
  RATED: 'mobile_conversion_rates',
  RESERVATION: 'mobile_conversion_reservations',
  RE_ENGAGE: 'mobile_conversion_re_engages',
  SEARCH: 'mobile_conversion_searches',
  SHARE: 'mobile_conversion_shares',
  SIGN_UP: 'mobile_conversion_sign_ups',
  SPENT_CREDITS: 'mobile_conversion_spent_credits',
  TUTORIAL_COMPLETE: 'mobile_conversion_tutorials_completed',
  UPDATE: 'mobile_conversion_updates',
} as const
export type AppConversionType = keyof typeof APP_CONVERSIONS
export const APP_CONVERSION_TYPES = Object.keys(APP_CONVERSIONS) as AppConversionType[]

export const OS_TYPES = ['PLATFORM_A', 'PLATFORM_B'] as const
export type OsType = (typeof OS_TYPES)[number]

/** Days after a click or another engagement, and after a view, in which a conversion is credited to it. */
export const CLICK_WINDOWS = [1, 7, 14, 30] as const
export const VIEW_WINDOWS = [0, ...CLICK_WINDOWS] as const
