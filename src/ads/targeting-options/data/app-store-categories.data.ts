/** Categories of the two app stores. */
export const APP_STORE_CATEGORIES: Record<'PLATFORM_A' | 'PLATFORM_B', string> = {
  PLATFORM_A:
    'Art & Design|Auto & Vehicles|Beauty|Books & Reference|Business|Comics|Communication|Dating|Education|Entertainment|Events|Finance|Food & Drink|' +
    'Health & Fitness|House & Home|Libraries & Demo|Lifestyle|Maps & Navigation|Medical|Music & Audio|News & Magazines|Parenting|Personalization|Photography|' +
    'Productivity|Shopping|Social|Sports|Tools|Travel & Local|Video Players & Editors|Weather|Games|Games: Action|Games: Adventure|Games: Arcade|Games: Board|' +
    'Games: Card|Games: Casino|Games: Casual|Games: Educational|Games: Music|Games: Puzzle|Games: Racing|Games: Role Playing|Games: Simulation|Games: Sports|' +
    'Games: Strategy|Games: Trivia|Games: Word',
  PLATFORM_B:
    'Books|Business|Developer Tools|Education|Entertainment|Finance|Food & Drink|Graphics & Design|Health & Fitness|Kids|Lifestyle|Magazines & Newspapers|Medical|' +
    'Music|Navigation|News|Photo & Video|Productivity|Reference|Shopping|Social Networking|Sports|Travel|Utilities|Weather|Games|Games: Action|Games: Adventure|' +
    'Games: Board|Games: Card|Games: Casino|Games: Casual|Games: Family|Games: Music|Games: Puzzle|Games: Racing|Games: Role Playing|Games: Simulation|' +
    'Games: Sports|Games: Strategy|Games: Trivia|Games: Word',
}
