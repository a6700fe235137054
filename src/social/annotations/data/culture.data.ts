/** Films, series, books, games, albums and what belongs to them. Other names follow after `=`. */
export const CULTURE: Record<
  'MOVIE' | 'TV' | 'BOOK' | 'GAME' | 'ALBUM' | 'CHARACTER' | 'FRANCHISE' | 'CONCERT' | 'AWARD' | 'HARDWARE',
  string
> = {
  MOVIE: `The Dark Knight|Pulp Fiction|Forrest Gump|Fight Club|The Shawshank Redemption|Schindler’s List|Goodfellas|Interstellar|The Prestige|Jurassic Park|Jurassic World|
Back to the Future|Raiders of the Lost Ark|Blade Runner|Blade Runner 2049|Mad Max: Fury Road|Terminator 2|The Shining|The Silence of the Lambs|Psycho|Vertigo|Casablanca|
Citizen Kane|Lawrence of Arabia|2001: A Space Odyssey|A Clockwork Orange|Apocalypse Now|Taxi Driver|Scarface|The Big Lebowski|Fargo|No Country for Old Men|
There Will Be Blood|The Social Network|Gone Girl|Whiplash|La La Land|Moonlight|Get Out|Hereditary|Midsommar|Knives Out|Glass Onion|Joker: Folie à Deux|The Batman|
Avengers: Infinity War|Guardians of the Galaxy|Doctor Strange|Captain America|Thor: Ragnarok|Spider-Man: No Way Home|Into the Spider-Verse|Across the Spider-Verse|
Deadpool & Wolverine|Wonder Woman 1984|Aquaman|Shazam!|The Flash|Man of Steel|Toy Story|Finding Nemo|The Incredibles|Ratatouille|Monsters, Inc.|Inside Out 2|
The Lion King|The Little Mermaid|Beauty and the Beast|Moana|Moana 2|Encanto|Zootopia|Shrek|Kung Fu Panda|How to Train Your Dragon|Despicable Me|The Super Mario Bros. Movie|
My Neighbor Totoro|Princess Mononoke|Howl’s Moving Castle|Your Name|Suzume|The Boy and the Heron|Demon Slayer: Mugen Train|Akira|Ghost in the Shell|Seven Samurai|
Tokyo Story|Godzilla Minus One|Oldboy|Train to Busan|Decision to Leave|In the Mood for Love|Crouching Tiger, Hidden Dragon|Amélie|La Haine|Intouchables|Anatomy of a Fall|
Cinema Paradiso|La Dolce Vita|Life Is Beautiful|Roma|Y tu mamá también|Amores perros|Pan’s Labyrinth|Volver|City of God|Central Station|I’m Still Here|Relatos salvajes|
Argentina, 1985|The Lives of Others|Run Lola Run|All Quiet on the Western Front|The Zone of Interest|RRR|Baahubali|3 Idiots|Dangal|Lagaan|Pathaan|Jawan|Animal|Kalki 2898 AD|
Poor Things|Past Lives|Killers of the Flower Moon|The Holdovers|Saltburn|Challengers|Furiosa|Twisters|Alien: Romulus|Gladiator II|Nosferatu|Anora|Conclave|
The Substance|The Brutalist|A Complete Unknown|Emilia Pérez|Mission: Impossible|John Wick|Fast & Furious|Fast X|Indiana Jones|Pirates of the Caribbean|The Hangover|
Mean Girls|Clueless|Legally Blonde|The Devil Wears Prada|Notting Hill|Love Actually|Home Alone|Die Hard|Elf|The Grinch|It’s a Wonderful Life|The Nightmare Before Christmas|
Hocus Pocus|Beetlejuice|Ghostbusters|Gremlins|The Exorcist|Halloween Kills|Scream VI|The Conjuring|Smile 2|Terrifier|Sinners|F1: The Movie|Superman: Legacy|Weapons`,
  TV: `Breaking Bad|Better Call Saul|The Sopranos|The Wire|Mad Men|Lost|The X-Files|Twin Peaks|Seinfeld|Frasier|Cheers|How I Met Your Mother|Modern Family|Parks and Recreation|
30 Rock|Community|Ted Lasso|Schitt’s Creek|Fleabag|Derry Girls|Peaky Blinders|Line of Duty|Sherlock|Downton Abbey|The Crown|Black Mirror|Top Gear|The Grand Tour|Strictly Come Dancing|
The Great British Bake Off|Taskmaster|EastEnders|Coronation Street|I’m a Celebrity|Big Brother|Celebrity Big Brother|The Mandalorian|Andor|Ahsoka|Obi-Wan Kenobi|Loki|WandaVision|
The Boys|Fallout|Reacher|The Rings of Power|The Wheel of Time|The Witcher|Wednesday|Emily in Paris|Money Heist=La Casa de Papel|Elite|Narcos|Dark|Lupin|Ozark|Heartstopper|
Sex Education|Baby Reindeer|The Queen’s Gambit|Russian Doll|Arcane|BoJack Horseman|Rick and Morty|Family Guy|Futurama|King of the Hill|Bob’s Burgers|Adventure Time|Gravity Falls|
Avatar: The Last Airbender|SpongeBob SquarePants|Bluey|Peppa Pig|Sesame Street|One Piece|Naruto|Dragon Ball Z|Bleach|Attack on Titan=進撃の巨人|Demon Slayer=鬼滅の刃|
Jujutsu Kaisen=呪術廻戦|My Hero Academia|Spy x Family|Chainsaw Man|Death Note|Fullmetal Alchemist|Hunter x Hunter|Sailor Moon|Neon Genesis Evangelion=エヴァンゲリオン|Cowboy Bebop|
Haikyu!!|Frieren|Oshi no Ko|Dandadan|Doraemon=ドラえもん|Detective Conan=名探偵コナン|Crash Landing on You|Itaewon Class|All of Us Are Dead|The Glory|Queen of Tears|Running Man|
Terrace House|Shōgun|Silo|Foundation|For All Mankind|Slow Horses|Only Murders in the Building|The Handmaid’s Tale|The Bear|Yellowjackets|The Morning Show|Euphoria|True Detective|
The Penguin|Mare of Easttown|Chernobyl|Band of Brothers|Westworld|Big Little Lies|Sharp Objects|Killing Eve|Homeland|24: Live Another Day|Prison Break|NCIS|Criminal Minds|
Law & Order|Chicago Fire|Outlander|Bones|The Masked Singer|Love Is Blind|Too Hot to Handle|The Kardashians|Selling Sunset|The Traitors|MasterChef|Hell’s Kitchen|Kaun Banega Crorepati|
Bigg Boss|Mirzapur|Sacred Games|Panchayat|The Family Man|Scam 1992|Gran Hermano|Operación Triunfo|MasterChef Celebrity|La isla de las tentaciones|Big Brother Brasil=BBB|Pantanal|
Tatort|Das Boot|Babylon Berlin|Germany’s Next Topmodel|Call My Agent!|Koh-Lanta|Sanremo|Gomorrah|My Brilliant Friend|Eurovision Song Contest=Eurovision`,
  BOOK: `The Catcher in the Rye|The Lord of the Flies|Brave New World|Fahrenheit 451|Animal Farm|Moby-Dick|Jane Eyre|Wuthering Heights|Great Expectations|Oliver Twist|War and Peace|
Anna Karenina|Crime and Punishment|The Brothers Karamazov|Don Quixote|One Hundred Years of Solitude|Love in the Time of Cholera|The House of the Spirits|The Alchemist|
The Little Prince|Les Misérables|The Count of Monte Cristo|Madame Bovary|The Stranger|The Metamorphosis|The Trial|The Magic Mountain|The Name of the Rose|The Divine Comedy|
The Iliad|The Odyssey|Hamlet|Macbeth|Romeo and Juliet|Frankenstein|Dracula|The Picture of Dorian Gray|Alice in Wonderland|Peter Pan|The Wizard of Oz|The Chronicles of Narnia|
Watership Down|The Secret Garden|Anne of Green Gables|Winnie-the-Pooh|Charlotte’s Web|Matilda|The Very Hungry Caterpillar|Where the Wild Things Are|The Handmaid’s Tale|
The Testaments|Beloved|The Color Purple|Their Eyes Were Watching God|Things Fall Apart|Half of a Yellow Sun|Americanah|Norwegian Wood|Kafka on the Shore|The Kite Runner|
Life of Pi|The Book Thief|The Girl with the Dragon Tattoo|Gone with the Wind|The Da Vinci Code|Twilight Saga|Fifty Shades of Grey|The Fault in Our Stars|Normal People|
Where the Crawdads Sing|The Midnight Library|Lessons in Chemistry|Tomorrow, and Tomorrow, and Tomorrow|A Court of Thorns and Roses=ACOTAR|Throne of Glass|Iron Flame|Onyx Storm|
The Seven Husbands of Evelyn Hugo|Daisy Jones & The Six|Project Hail Mary|The Martian|The Three-Body Problem|Hyperion Cantos|Neuromancer|Snow Crash|Foundation Trilogy|
The Hitchhiker’s Guide to the Galaxy|Discworld|American Gods|Good Omens|Mistborn|The Stormlight Archive|The Name of the Wind|Sapiens|Atomic Habits|Thinking, Fast and Slow|
The Art of War|Becoming|Educated|Into the Wild|In Cold Blood|The Diary of a Young Girl|Long Walk to Freedom|A Brief History of Time|Cosmos|Silent Spring|On the Origin of Species`,
  GAME: `The Legend of Zelda=Zelda|Tears of the Kingdom|Breath of the Wild|Super Mario Odyssey|Super Smash Bros.=Smash Bros|Splatoon|Pokémon GO|Pokémon Scarlet|Pokémon Legends: Z-A|Metroid Prime|Kirby|
Fire Emblem|Xenoblade Chronicles|Halo|Gears of War|Forza Horizon|Starfield|The Elder Scrolls|Skyrim|Fallout 4|Doom Eternal|The Witcher 3|Red Dead Redemption|GTA VI=GTA 6|GTA V|
God of War|Horizon Forbidden West|Uncharted|Ghost of Tsushima|Bloodborne|Dark Souls|Sekiro|Armored Core|Resident Evil|Devil May Cry|Street Fighter|Mortal Kombat|Tekken|
Metal Gear Solid|Silent Hill|Death Stranding|Persona 5|Yakuza: Like a Dragon|Kingdom Hearts|Dragon Quest|Nier: Automata|Assassin’s Creed|Far Cry|Rainbow Six Siege|Watch Dogs|
Battlefield 2042|The Sims|FIFA 23|Madden NFL|NBA 2K|Rocket League|Gran Turismo|Need for Speed|Destiny 2|World of Warcraft|Hearthstone|StarCraft|Valorant|Teamfight Tactics|PUBG|
Garena Free Fire|Mobile Legends|Clash of Clans|Clash Royale|Brawl Stars|Candy Crush|Angry Birds|Among Us|Fall Guys|Roblox|Terraria|Stardew Valley|Hades|Hollow Knight|Celeste|
Undertale|Cuphead|Dead Cells|Slay the Spire|Balatro|Vampire Survivors|Disco Elysium|Outer Wilds|Portal 2|Half-Life|Left 4 Dead|Team Fortress 2|Civilization VI|Age of Empires|
Crusader Kings|Cities: Skylines|Factorio|Satisfactory|Kerbal Space Program|Microsoft Flight Simulator|No Man’s Sky|Subnautica|Palworld|Helldivers 2|Lethal Company|Phasmophobia|
Dead by Daylight|Escape from Tarkov|DayZ|Honkai: Star Rail|Zenless Zone Zero|Blue Archive|Arknights|Fate/Grand Order|Uma Musume|Granblue Fantasy|Wuthering Waves|Black Myth: Wukong|
Clair Obscur: Expedition 33|Split Fiction|It Takes Two|Tetris|Pac-Man|Space Invaders|Sonic the Hedgehog|Crash Bandicoot|Tomb Raider|BioShock|Mass Effect|Dragon Age|Wordle`,
  ALBUM: `1989 World Tour|Midnights|Folklore|Evermore|The Tortured Poets Department|The Life of a Showgirl|Renaissance Tour|Cowboy Carter|Lemonade|Thriller|Abbey Road|Sgt. Pepper’s|
The Dark Side of the Moon|Rumours|Hotel California|Back in Black|Nevermind|OK Computer|Random Access Memories|To Pimp a Butterfly|DAMN.|Un Verano Sin Ti|El mal querer|Motomami|
Happier Than Ever|Hit Me Hard and Soft|Sour|Guts World Tour|Future Nostalgia|After Hours|Blonde|Channel Orange|The Eras Tour=Eras Tour|Brat Summer|Short n’ Sweet|Debí Tirar Más Fotos`,
  CHARACTER: `Luke Skywalker|Princess Leia|Han Solo|Yoda|Obi-Wan|Grogu|Baby Yoda|Harry Potter|Hermione Granger|Dumbledore|Voldemort|Frodo Baggins|Gandalf|Aragorn|Legolas|Gollum|
Katniss Everdeen|Bilbo Baggins|Captain Marvel|Black Widow|Hulk|Hawkeye|Thanos|Wolverine|Doctor Doom|Venom|Miles Morales|Peter Parker|Bruce Wayne|Harley Quinn|The Joker|
Clark Kent|Lois Lane|Lex Luthor|Mickey Mouse|Minnie Mouse|Donald Duck|Goofy|Bugs Bunny|Daffy Duck|Tom and Jerry|Scooby-Doo|Homer Simpson|Bart Simpson|Lisa Simpson|Peter Griffin|
Snoopy|Charlie Brown|Garfield|Shrek|Elsa|Simba|Buzz Lightyear|Stitch|Winnie|Paddington|Monkey D. Luffy|Sasuke|Itachi|Vegeta|Gojo Satoru|Levi Ackerman|Eren Yeager|Charizard|
Eevee|Princess Peach|Luigi|Bowser|Donkey Kong|Link of Hyrule|Samus Aran|Master Chief|Kratos|Geralt of Rivia|Lara Croft|Walter White|Jon Snow|Daenerys Targaryen|Tyrion Lannister|
Arya Stark|Tony Soprano|Don Draper|Michael Scott|Dwight Schrute|Leslie Knope|Doctor Strange|James T. Kirk|Spock|Jean-Luc Picard|Sherlock|Hercule Poirot|Mary Poppins|Forrest`,
  FRANCHISE: `Star Trek|Marvel Cinematic Universe=MCU|DC Universe|Wizarding World|Middle-earth|Transformers|Power Rangers|My Little Pony|Teenage Mutant Ninja Turtles|Gundam=ガンダム|
Yu-Gi-Oh!|Magic: The Gathering|Dungeons & Dragons=D&D|Warhammer 40,000=Warhammer 40K|Digimon|Precure|Kamen Rider=仮面ライダー|Ultraman|Love Live!=ラブライブ|BanG Dream!|
Project Sekai=プロセカ|Touhou Project|Vocaloid|Hololive=ホロライブ|Nijisanji=にじさんじ|Bridgerton|Looney Tunes|The Muppets|Monopoly|Hot Wheels|Funko Pop|American Girl`,
  CONCERT: `Coachella|Glastonbury|Lollapalooza|Bonnaroo|Burning Man|Tomorrowland|Rock in Rio|Primavera Sound|Download Festival|Reading Festival|Leeds Festival|Wacken Open Air|
Roskilde Festival|Sziget|Exit Festival|Fuji Rock|Summer Sonic|Ultra Music Festival|Electric Daisy Carnival|Rolling Loud|Afro Nation|Lollapalooza Brasil|Viña del Mar|Mad Cool|
Sónar|Benicàssim|South by Southwest=SXSW|Sundance|Cannes Film Festival|Venice Film Festival|Berlinale|Toronto International Film Festival|Comic-Con|Anime Expo|Gamescom|Comiket`,
  AWARD: `Academy Awards=Oscars|Golden Globes|Emmy Awards=Emmys|Grammy Awards=Grammys|Latin Grammys|Tony Awards|BAFTA|MTV Video Music Awards=VMAs|American Music Awards|
Billboard Music Awards|BRIT Awards|Screen Actors Guild Awards|Critics’ Choice Awards|BET Awards|MAMA Awards|Ballon d’Or|Nobel Prize|Nobel Peace Prize|Pulitzer Prize|Booker Prize|
Palme d’Or|Golden Bear|César Awards|Goya Awards|Premios Goya|The Game Awards|Met Gala|Time Person of the Year|Eisner Awards|Hugo Awards|Turing Award|Fields Medal`,
  HARDWARE: `PlayStation|PlayStation VR2|Xbox|Xbox Series S|Game Boy|Nintendo 64|Nintendo Switch 2|Wii U|GameCube|Sega Genesis|Dreamcast|Atari 2600|Meta Quest|Vision Pro|ROG Ally|GeForce RTX`,
}

/** Products by the brand that makes them. */
export const PRODUCTS = `iMac|Mac mini|MacBook Air|MacBook Pro|iPod|AirTag|HomePod|Apple Music|Apple Pay|iCloud|iOS|macOS|Siri|Galaxy S|Galaxy Watch|Galaxy Buds|Galaxy Z Fold|Pixel 9|Google Pixel|
Google Maps|Gmail|Google Chrome|Chromebook|Android|Android Auto|Google Drive|Google Cloud|Gemini AI|NotebookLM|Google Home|Amazon Alexa|Amazon Echo|Amazon Prime|AWS|Fire TV|
Microsoft Teams|Microsoft Office|Microsoft Excel|Microsoft Azure|Windows 10|Windows 11|Surface Pro|GitHub Copilot|Microsoft Copilot|GPT-4|GPT-5|DALL-E|Sora AI|Claude AI|Llama 3|Grok AI|
Photoshop|Adobe Illustrator|Lightroom|Premiere Pro|Final Cut Pro|Blender 3D|AutoCAD|Unreal Engine|Unity Engine|Raspberry Pi|Arduino|PostgreSQL|MySQL|SQLite|Redis|Kubernetes|Linux|
Ubuntu|Debian|Fedora Linux|Firefox|Thunderbird|Visual Studio Code=VS Code|JavaScript|TypeScript|Python 3|Node.js|React Native|Vue.js|Django|Ruby on Rails|WebAssembly|
Model 3|Model Y|Model S|Cybertruck|Tesla Semi|Ford F-150|Ford Mustang|Chevrolet Corvette|Toyota Corolla|Toyota Prius|Toyota Camry|Honda Civic|Volkswagen Golf|Volkswagen Beetle|Porsche 911|
BMW M3|Mini Electric|Fiat 500|Jeep Wrangler|Land Rover Defender|Air Jordan|Air Max|Yeezy|Stan Smith|Birkin|Stanley Cup Tumbler|Thermomix|Instant Pot|KitchenAid|Roomba|Nespresso Vertuo|
Ozempic|Wegovy|Botox|Tylenol|Aspirin|Viagra|Boeing 737|Boeing 737 MAX|Boeing 787|Airbus A320|Airbus A350|Airbus A380|Concorde|Falcon 9|Falcon Heavy|Starship SN|Starlink|Ariane 6|
Hubble Space Telescope|James Webb Space Telescope=JWST|International Space Station=ISS|Rubik’s Cube|Polaroid|Walkman|Tamagotchi|Labubu|Jellycat|Squishmallows|Pop-Tarts|Big Mac|Happy Meal|
Whopper|Frappuccino|Pumpkin Spice Latte|Nintendo eShop|Steam Workshop|Game Pass|PlayStation Plus|Kindle Unlimited|Audible`
