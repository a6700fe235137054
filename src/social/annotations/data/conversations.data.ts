/** What people talk about, by kind. */
export const CONVERSATIONS: Record<string, string> = {
  ACTORS:
    'Denzel Washington|Emma Stone|Florence Pugh|Idris Elba|Leonardo DiCaprio|Margot Robbie|Meryl Streep|Pedro Pascal|Ryan Gosling|Scarlett Johansson|Timothée Chalamet|Tom Hanks|Viola Davis|Zendaya',
  ATHLETES:
    'Carlos Alcaraz|Cristiano Ronaldo|Erling Haaland|Iga Świątek|Kylian Mbappé|LeBron James|Lewis Hamilton|Lionel Messi|Max Verstappen|Naomi Osaka|Patrick Mahomes|Serena Williams|Shohei Ohtani|Simone Biles|Stephen Curry|Virat Kohli',
  BOOK_GENRES:
    'Biography books|Children’s books|Classic literature|Comic books|Crime novels|Fantasy books|Graphic novels|Historical fiction|Horror fiction|Manga series|Poetry books|Romance books|Sci-fi books|Self-improvement books|Thrillers|Young adult books',
  BOOKS:
    'A Song of Ice and Fire|Dune|Fourth Wing|Harry Potter|It Ends with Us|Little Women|Nineteen Eighty-Four|Percy Jackson|Pride and Prejudice|The Great Gatsby|The Hobbit|The Hunger Games|The Lord of the Rings|To Kill a Mockingbird',
  BRAND_CATEGORIES:
    'Airlines|Alcoholic drinks|Apparel brands|Automakers|Banks|Beauty brands|Consumer packaged goods|Consumer tech brands|Fast food chains|Hotels and resorts|Insurance companies|Luxury brands|Mobile carriers|Restaurants|Retailers|Soft drinks|Streaming services',
  BRANDS:
    'Adidas|Amazon|Apple|BMW|Coca-Cola|Disney|Ford|Google|Gucci|H&M|Honda|IKEA|LEGO|Louis Vuitton|McDonald’s|Mercedes-Benz|Microsoft|Nestlé|Nike|Nintendo|Pepsi|Samsung|Sony|Starbucks|Tesla|Toyota|Uniqlo|Visa|Volkswagen|Zara',
  CELEBRITIES:
    'Beyoncé Knowles|David Beckham|Dwayne Johnson|Kim Kardashian|Kylie Jenner|Oprah Winfrey|Prince Harry|Priyanka Chopra|Rihanna Fenty|Shah Rukh Khan|Will Smith',
  COACHES:
    'Andy Reid|Carlo Ancelotti|Erik Spoelstra|Gregg Popovich|Jürgen Klopp|Mikel Arteta|Pep Guardiola|Steve Kerr|Thomas Tuchel|Xavi Hernández',
  DIGITAL_CREATORS:
    'Casey Neistat|Charli D’Amelio|Emma Chamberlain|Ibai Llanos|IShowSpeed|Jacksepticeye|Kai Cenat|Khaby Lame|Markiplier|Marques Brownlee|MrBeast|PewDiePie|Pokimane|Rubius',
  ENTERTAINMENT_BRANDS:
    'Crunchyroll|DC Comics|Disney+|Dreamworks|HBO|Hulu|Lucasfilm|Marvel|Netflix|Paramount+|Pixar|Pokémon|Prime Video|Studio Ghibli|Universal Pictures|Warner Bros.',
  ENTERTAINMENT_PERSONALITIES:
    'Conan O’Brien|Ellen DeGeneres|Gordon Ramsay|Graham Norton|James Corden|Jimmy Fallon|John Oliver|Kevin Hart|Ricky Gervais|Simon Cowell|Stephen Colbert|Trevor Noah',
  FICTIONAL_CHARACTERS:
    'Barbie|Batman|Black Panther|Darth Vader|Deadpool|Godzilla|Hello Kitty|Iron Man|James Bond|Mario|Naruto Uzumaki|Pikachu|Sherlock Holmes|Son Goku|Sonic|Spider-Man|Superman|Wonder Woman',
  JOURNALISTS:
    'Anderson Cooper|Christiane Amanpour|Fareed Zakaria|Jake Tapper|Kara Swisher|Lester Holt|Maria Ressa|Rachel Maddow|Robert Peston|Wolf Blitzer',
  LIFESTYLES:
    'Digital nomads|Fitness lifestyle|Foodies|Gardening lifestyle|Gamers|Minimalism|Mindfulness|New parents lifestyle|Outdoor life|Pet owners|Sneakerheads|Sustainable lifestyle|Van life|Vegan lifestyle|Wellness',
  MOVIE_GENRES:
    'Action movies|Animated movies|Comedy movies|Disaster movies|Documentaries|Drama movies|Family movies|Fantasy movies|Film noir|Horror movies|Indie movies|Musicals|Romantic comedies|Sci-fi movies|Superhero movies|War movies|Western movies',
  MOVIES:
    'Avatar|Avengers: Endgame|Barbie the movie|Black Panther: Wakanda Forever|Dune: Part Two|Everything Everywhere All at Once|Frozen|Inception|Inside Out|Oppenheimer|Parasite|Spirited Away|Star Wars|The Godfather|The Matrix|Titanic|Top Gun: Maverick|Wicked',
  MUSIC_GENRES:
    'Afrobeats|Alternative rock|Blues music|Classical music|Country music|Drill|EDM|Folk music|Heavy metal|Hip-hop|House music|Indie rock|J-pop|Jazz music|K-pop music|Latin pop|Opera|Pop music|Punk rock|R&B|Reggaeton|Techno',
  MUSICIANS:
    'Adele|Ariana Grande|Bad Bunny|Beyoncé|Billie Eilish|BLACKPINK|Bruno Mars|BTS|Burna Boy|Coldplay|Drake|Dua Lipa|Ed Sheeran|Harry Styles|Kendrick Lamar|Lady Gaga|Olivia Rodrigo|Rihanna|Rosalía|Sabrina Carpenter|Shakira|Taylor Swift|The Weeknd|YOASOBI',
  NEWS_STORIES:
    'Artificial intelligence race|Climate summit|Cost of living|Energy prices|Interest rates|Mars missions|Migration|Public health|Space launches|Supply chains|Trade talks|Vaccines',
  NEWS: 'Business news|Celebrity news|Education news|Entertainment news|Financial news|Health news|International news|Local news|Political news|Science news|Sports news|Technology news|Travel news|Weather news',
  PERSONS:
    'Albert Einstein|Bill Gates|Elon Musk|Frida Kahlo|Greta Thunberg|Jane Goodall|Jeff Bezos|Malala Yousafzai|Marie Curie|Mark Zuckerberg|Nelson Mandela|Neil deGrasse Tyson|Sam Altman|Tim Cook',
  PLACES:
    'Bali|Barcelona|Berlin|Buenos Aires|Cairo|Dubai|Hawaii|Istanbul|Kyoto|Lagos|Lisbon|London|Los Angeles|Mexico City|Mumbai|New York City|Paris|Rio de Janeiro|Rome|Seoul|Singapore|Sydney|Tokyo|Toronto',
  PODCASTS:
    'Call Her Daddy|Conan O’Brien Needs a Friend|Crime Junkie|Freakonomics Radio|Lex Fridman Podcast|My Favorite Murder|Pod Save America|Radiolab|Serial|SmartLess|Stuff You Should Know|The Daily|The Diary of a CEO|The Rest Is History|This American Life',
  POLITICAL_AFFILIATIONS:
    'Conservative politics|Green politics|Independent voters|Labour politics|Liberal politics|Libertarian politics|Social democracy',
  POLITICIANS: 'Heads of government|Heads of state|Mayors|Members of parliament|Ministers|Senators|State governors',
  PRODUCTS:
    'Air fryers|AirPods|Apple Watch|ChatGPT|Electric bikes|Electric cars|Foldable phones|iPad|iPhone|Kindle|MacBook|Mechanical keyboards|Nintendo Switch consoles|PlayStation consoles|Robot vacuums|Smart speakers|Smart TVs|Sneakers|Steam Deck|Wireless earbuds',
  RADIO_STATIONS:
    'BBC Radio 1|BBC Radio 4|Cadena SER|Capital FM|Hot 97|KEXP|NPR|NRJ|Power 105.1|Radio France|Rai Radio 2|SiriusXM|Triple J',
  SPORTS_LEAGUES:
    'Bundesliga|Champions League|Formula 1|Indian Premier League|J.League|La Liga|Liga MX|Ligue 1|MLB|MLS|NASCAR|NBA|NCAA basketball|NFL|NHL|Premier League|Serie A|Six Nations|UFC|WNBA|WWE',
  SPORTS_PERSONALITIES:
    'Alex Scott|Charles Barkley|Gary Lineker|Gary Neville|Jim Nantz|Joe Buck|Pat McAfee|Shaquille O’Neal|Stephen A. Smith|Thierry Henry|Tony Romo',
  SPORTS_TEAMS:
    'AC Milan|Arsenal|Barcelona FC|Bayern Munich|Boca Juniors|Boston Celtics|Chelsea|Chennai Super Kings|Chicago Bulls|Dallas Cowboys|Flamengo|Golden State Warriors|Green Bay Packers|Inter Milan|Juventus|Kansas City Chiefs|Liverpool FC|Los Angeles Dodgers|Los Angeles Lakers|Manchester City|Manchester United|New York Yankees|Paris Saint-Germain|Philadelphia Eagles|Real Madrid|River Plate|Toronto Maple Leafs',
  SPORTS:
    'American football|Baseball|Basketball|Boxing|Cricket|Cycling|Esports|Golf|Gymnastics|Ice hockey|Mixed martial arts|Motorsport|Rugby|Running|Skiing|Soccer|Surfing|Swimming|Tennis|Track and field|Volleyball|Wrestling',
  TRENDS:
    'Back to school|Black Friday deals|Cherry blossoms|Dry January|Festival season|Flash sales|Holiday shopping|Meme culture|New year resolutions|Spooky season|Spring cleaning|Summer holidays',
  TV_SHOWS:
    'Bridgerton|Doctor Who|Game of Thrones|Grey’s Anatomy|House of the Dragon|Love Island|RuPaul’s Drag Race|Saturday Night Live|Severance|Squid Game|Stranger Things|Succession|Survivor|The Bear|The Last of Us|The Simpsons|The Walking Dead|The White Lotus|Yellowstone',
  VIDEO_GAME_PLATFORMS:
    'Cloud gaming|Mobile games|Nintendo 3DS|Nintendo Switch|Oculus Quest|PC gaming|PlayStation 4|PlayStation 5|Steam|Xbox One|Xbox Series X',
  VIDEO_GAME_PUBLISHERS:
    'Activision Blizzard|Bandai Namco|Bethesda|Capcom|Electronic Arts|Epic Games|Riot Games|Rockstar Games|SEGA|Square Enix|Take-Two|Tencent Games|Ubisoft|Valve',
  VIDEO_GAMES:
    'Animal Crossing|Apex Legends|Baldur’s Gate 3|Call of Duty|Counter-Strike|Cyberpunk 2077|Diablo|Dota 2|EA Sports FC|Elden Ring|Final Fantasy|Fortnite|Genshin Impact|Grand Theft Auto|Hogwarts Legacy|League of Legends|Mario Kart|Minecraft|Monster Hunter|Overwatch|Roblox|Street Fighter|The Legend of Zelda|The Sims|Valorant|World of Warcraft',
}
