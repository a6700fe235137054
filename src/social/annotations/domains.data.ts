/** The domains of annotations: id, name and description. The ids are those that clients of the platform know. */
const DOMAINS = `
3|TV Shows|Television shows from around the world
6|Sports Event|Single events of a sport, such as a final or a Grand Prix
10|Person|Named people in the world like Nelson Mandela
11|Sport|Types of sports, like soccer and basketball
12|Sports Team|A sports team organization, like Arsenal and the Boston Celtics
13|Place|Named places like Paris and California
23|TV Channels|Channels that broadcast or stream programmes
26|Sports League|A league or competition, like the NBA and the Premier League
29|Events|Real world events
35|Politician|Politicians in the world
45|Brand Vertical|Top level entities that describe a brand's industry
46|Brand Category|Categories within brand verticals that narrow down the scope of brands
47|Brand|Brands and companies
48|Product|Products created by brands, like the iPhone
54|Musician|A musician or band in the world
55|Music Genre|A category for a musical style
56|Actor|An actor or actress in the world
58|Entertainment Personality|People who are known from entertainment
60|Athlete|An athlete in the world
65|Interests and Hobbies Vertical|Top level interests and hobbies groupings
66|Interests and Hobbies Category|A grouping of interests and hobbies entities
67|Interests and Hobbies|Interests, opinions and behaviors of individuals, groups or cultures
71|Video Game|Video games like Minecraft
78|Video Game Publisher|Companies that make or publish video games
79|Video Game Hardware|Consoles and other hardware for video games
84|Book|A book or a series of books
85|Book Genre|A category of books
86|Movie|A film like The Godfather
87|Movie Genre|A category of films
88|Political Body|A section of a government or a union of states, like the United Nations
89|Music Album|A music album
90|Radio Station|Stations that broadcast radio
91|Podcast|A podcast like Radiolab
92|Sports Personality|People who are known from sports and do not take part in them
93|Coach|A coach of a sports team
94|Journalist|A journalist like Anderson Cooper
114|Concert|Concerts and music festivals
118|Award Show|Award shows like the Oscars
119|Holiday|Holidays like Christmas and Diwali
120|Digital Creator|People who publish on digital platforms
122|Fictional Character|Characters of fiction, like Sherlock Holmes
130|Multimedia Franchise|Franchises that span several kinds of media, like Star Wars
137|Esports Team|A team in esports
152|Food|Food and drinks
155|Weather|Weather and its phenomena
156|Cities|Cities
157|Colleges & Universities|Colleges and universities
158|Points of Interest|Landmarks, buildings and natural sights
159|States|States, provinces and regions of countries
160|Countries|Countries and territories
163|Fields of study|Fields of science and study
164|Technology|Technologies like artificial intelligence
165|Stocks|Stocks that are traded, by their ticker
166|Animals|Animals
174|Digital Assets & Crypto|Cryptocurrencies and other digital assets
175|Emergency Events|Disasters and other emergencies`

export interface Domain {
  id: string
  name: string
  description: string
}

/** The domains by id. */
export const DOMAINS_BY_ID: ReadonlyMap<string, Domain> = new Map(
  DOMAINS.trim()
    .split('\n')
    .map((line) => {
      const [id, name, description] = line.split('|') as [string, string, string]
      return [id, { id, name, description }]
    }),
)
