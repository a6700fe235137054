/** People by what they are known for. A name may be followed by other names of the same person, after `=`. */
export const PEOPLE: Record<'POLITICIAN' | 'MUSICIAN' | 'ACTOR' | 'ATHLETE' | 'COACH' | 'PERSON', string> = {
  POLITICIAN: `Joe Biden=President Biden|Donald Trump=President Trump|Barack Obama=President Obama|Kamala Harris|JD Vance|Bernie Sanders|
Alexandria Ocasio-Cortez|Nancy Pelosi|Mitch McConnell|Hillary Clinton|Bill Clinton|George W. Bush|Ron DeSantis|Gavin Newsom|Marco Rubio|Ted Cruz|
Elizabeth Warren|Pete Buttigieg|Mike Pence|Nikki Haley|Chuck Schumer|Mike Johnson|Hakeem Jeffries|Rishi Sunak|Keir Starmer|Boris Johnson|Theresa May|
Tony Blair|Nigel Farage|Jeremy Corbyn|David Cameron|Liz Truss|Sadiq Khan|Nicola Sturgeon|Emmanuel Macron|Marine Le Pen|Jean-Luc Mélenchon|
François Hollande|Nicolas Sarkozy|Gabriel Attal|Michel Barnier|Angela Merkel|Olaf Scholz|Friedrich Merz|Annalena Baerbock|Robert Habeck|Christian Lindner|
Pedro Sánchez|Alberto Núñez Feijóo|Isabel Díaz Ayuso|Santiago Abascal|Yolanda Díaz|Giorgia Meloni|Matteo Salvini|Mario Draghi|Sergio Mattarella|
Donald Tusk|Andrzej Duda|Viktor Orbán|Mark Rutte|Geert Wilders|Ursula von der Leyen|Christine Lagarde|Jens Stoltenberg|António Guterres|
António Costa|Marcelo Rebelo de Sousa|Volodymyr Zelenskyy=Volodymyr Zelensky=Zelensky=Zelenskyy|Vladimir Putin=Putin|Sergey Lavrov|Alexei Navalny|
Recep Tayyip Erdoğan=Erdogan|Ekrem İmamoğlu|Benjamin Netanyahu=Netanyahu|Mahmoud Abbas|Ali Khamenei|Mohammed bin Salman|Bashar al-Assad|
Abdel Fattah el-Sisi|Narendra Modi=PM Modi|Rahul Gandhi|Amit Shah|Arvind Kejriwal|Mamata Banerjee|Yogi Adityanath|Imran Khan|Nawaz Sharif|
Shehbaz Sharif|Sheikh Hasina|Muhammad Yunus|Xi Jinping|Li Qiang|Kim Jong Un=Kim Jong-un|Yoon Suk Yeol|Lee Jae-myung|Fumio Kishida=岸田文雄|
Shigeru Ishiba=石破茂|Shinzo Abe=安倍晋三|Sanae Takaichi=高市早苗|Joko Widodo=Jokowi|Prabowo Subianto|Anwar Ibrahim|Mahathir Mohamad|
Bongbong Marcos=Ferdinand Marcos Jr|Rodrigo Duterte|Lee Hsien Loong|Lawrence Wong|Anthony Albanese|Peter Dutton|Scott Morrison|Jacinda Ardern|
Christopher Luxon|Justin Trudeau|Mark Carney|Pierre Poilievre|Doug Ford|Andrés Manuel López Obrador=AMLO|Claudia Sheinbaum|Luiz Inácio Lula da Silva=Lula da Silva|
Jair Bolsonaro=Bolsonaro|Fernando Haddad|Javier Milei=Milei|Cristina Fernández de Kirchner=Cristina Kirchner|Alberto Fernández|Mauricio Macri|Gabriel Boric|
Gustavo Petro|Álvaro Uribe|Nicolás Maduro|María Corina Machado|Daniel Noboa|Dina Boluarte|Evo Morales|Luis Arce|Nayib Bukele=Bukele|Cyril Ramaphosa|
Jacob Zuma|Julius Malema|Bola Tinubu|Peter Obi|Atiku Abubakar|William Ruto|Raila Odinga|Paul Kagame|Yoweri Museveni|Abiy Ahmed|Nana Akufo-Addo`,
  MUSICIAN: `Justin Bieber|Selena Gomez|Miley Cyrus|Katy Perry|Post Malone|Travis Scott|Doja Cat|Nicki Minaj|Cardi B|Megan Thee Stallion|Lizzo|Lil Nas X|SZA|
Tyler, The Creator|Frank Ocean|Childish Gambino|Kanye West|Jay-Z|Eminem|Snoop Dogg|Dr. Dre|50 Cent|Lil Wayne|Future Hendrix|Chris Brown|Usher Raymond|
Alicia Keys|John Legend|Stevie Wonder|Elton John|Paul McCartney|The Beatles|The Rolling Stones|Led Zeppelin|Pink Floyd|David Bowie|Freddie Mercury|
Bruce Springsteen|Bob Dylan|Madonna|Michael Jackson|Whitney Houston|Mariah Carey|Celine Dion|Britney Spears|Christina Aguilera|Jennifer Lopez|
Backstreet Boys|One Direction|Zayn Malik|Niall Horan|Louis Tomlinson|Liam Payne|Jonas Brothers|Shawn Mendes|Camila Cabello|Charlie Puth|Sam Smith|
Lewis Capaldi|Hozier|Imagine Dragons|OneRepublic|Maroon 5|Twenty One Pilots|Fall Out Boy|Panic! At The Disco|Green Day|Foo Fighters|Nirvana|
Red Hot Chili Peppers|Metallica|Iron Maiden|AC/DC|Guns N’ Roses|Linkin Park|Radiohead|Arctic Monkeys|The Strokes|The Killers|Muse|Gorillaz|Daft Punk|
Calvin Harris|David Guetta|Avicii|Deadmau5|Skrillex|Marshmello|The Chainsmokers|Tiësto|Fred again..|Disclosure|Tame Impala|Lana Del Rey|Lorde|Mitski|
Phoebe Bridgers|boygenius|Noah Kahan|Zach Bryan|Morgan Wallen|Luke Combs|Chris Stapleton|Dolly Parton|Shania Twain|Garth Brooks|Kacey Musgraves|
Chappell Roan|Charli XCX|Tate McRae|Gracie Abrams|Troye Sivan|Conan Gray|Benson Boone|Teddy Swims|Hatsune Miku=初音ミク|Ado|Official HIGE DANdism|
King Gnu|Kenshi Yonezu=米津玄師|Aimyon=あいみょん|Mrs. GREEN APPLE|ONE OK ROCK|Perfume|Babymetal|Hikaru Utada=宇多田ヒカル|LiSA|Stray Kids|SEVENTEEN|
TWICE|aespa|NewJeans|IVE|LE SSERAFIM|ITZY|Red Velvet|EXO|NCT 127|NCT Dream|TXT|ENHYPEN|ATEEZ|(G)I-DLE|MAMAMOO|Girls’ Generation|BIGBANG|G-Dragon|PSY|IU|
Jungkook|Jimin|RM of BTS|J-Hope|Lalisa Manobal|Jennie Kim|Rosé|Jisoo|Karol G|J Balvin|Maluma|Ozuna|Daddy Yankee|Luis Fonsi|Peso Pluma|Feid|Rauw Alejandro|
Anuel AA|Nicky Jam|Don Omar|Wisin|Enrique Iglesias|Ricky Martin|Marc Anthony|Juanes|Carlos Vives|Luis Miguel|Natalia Lafourcade|Café Tacvba|Maná|
Soda Stereo|Charly García|Fito Páez|Bizarrap|Duki|Tini Stoessel|Lali Espósito|Nathy Peluso|C. Tangana|Quevedo|Aitana Ocaña|Alejandro Sanz|Joaquín Sabina|
Anitta|Ludmilla|Pabllo Vittar|Luísa Sonza|Ivete Sangalo|Caetano Veloso|Gilberto Gil|Marília Mendonça|Gusttavo Lima|Jorge & Mateus|Stromae|Angèle|Aya Nakamura|
Daft Punk|Indila|Måneskin|Laura Pausini|Eros Ramazzotti|Andrea Bocelli|Rammstein|Helene Fischer|ABBA|Roxette|Robyn|Zara Larsson|a-ha|Sigrid|Björk|
Sigur Rós|Aurora Aksnes|Wizkid|Davido|Tems|Rema|Asake|Tiwa Savage|Yemi Alade|Fela Kuti|Angélique Kidjo|Youssou N’Dour|Salif Keita|Tyla|Black Coffee|
Diamond Platnumz|Sauti Sol|Amr Diab|Nancy Ajram|Elissa|Fairuz|Umm Kulthum|Tarkan|Sezen Aksu|Arijit Singh|A. R. Rahman|Shreya Ghoshal|Lata Mangeshkar|
Diljit Dosanjh|AP Dhillon|Badshah|Atif Aslam|Nusrat Fateh Ali Khan|Agnez Mo|SB19|Jay Chou=周杰倫|Jolin Tsai|Jackson Wang|Ludwig van Beethoven|
Wolfgang Amadeus Mozart|Johann Sebastian Bach|Frédéric Chopin|Antonio Vivaldi|Hans Zimmer|John Williams|Ludovico Einaudi|Philip Glass|Miles Davis|
John Coltrane|Louis Armstrong|Ella Fitzgerald|Billie Holiday|Nina Simone|Aretha Franklin|Bob Marley|Tupac Shakur=2Pac|Notorious B.I.G.|Amy Winehouse`,
  ACTOR: `Brad Pitt|Angelina Jolie|Jennifer Aniston|Jennifer Lawrence|Johnny Depp|Amber Heard|Robert Downey Jr.=Robert Downey Jr|Chris Evans|Chris Hemsworth|
Chris Pratt|Tom Holland|Tom Cruise|Tom Hardy|Tom Hiddleston|Benedict Cumberbatch|Robert Pattinson|Kristen Stewart|Daniel Radcliffe|Emma Watson|
Rupert Grint|Keanu Reeves|Ryan Reynolds|Blake Lively|Hugh Jackman|Anne Hathaway|Natalie Portman|Gal Gadot|Jason Momoa|Henry Cavill|Ben Affleck|Matt Damon|
George Clooney|Julia Roberts|Sandra Bullock|Nicole Kidman|Cate Blanchett|Kate Winslet|Judi Dench|Helen Mirren|Maggie Smith|Ian McKellen|Patrick Stewart|
Michael Caine|Anthony Hopkins|Morgan Freeman|Samuel L. Jackson|Will Smith|Eddie Murphy|Dwayne Johnson|Vin Diesel|Jason Statham|Arnold Schwarzenegger|
Sylvester Stallone|Harrison Ford|Al Pacino|Robert De Niro|Jack Nicholson|Joaquin Phoenix|Christian Bale|Cillian Murphy|Adam Driver|Oscar Isaac|
Andrew Garfield|Austin Butler|Jacob Elordi|Barry Keoghan|Paul Mescal|Saoirse Ronan|Anya Taylor-Joy|Sydney Sweeney|Jenna Ortega|Millie Bobby Brown|
Finn Wolfhard|Sadie Sink|Elizabeth Olsen|Brie Larson|Halle Berry|Lupita Nyong’o|Michael B. Jordan|Chadwick Boseman|Jamie Foxx|Mahershala Ali|Daniel Kaluuya|
John Boyega|Daisy Ridley|Emilia Clarke|Kit Harington|Sophie Turner|Maisie Williams|Peter Dinklage|Bella Ramsey|Jeremy Allen White|Ayo Edebiri|Steve Carell|
Jim Carrey|Adam Sandler|Ben Stiller|Owen Wilson|Seth Rogen|Jonah Hill|Melissa McCarthy|Amy Adams|Jessica Chastain|Charlize Theron|Penélope Cruz|
Javier Bardem|Antonio Banderas|Salma Hayek|Ana de Armas|Gael García Bernal|Diego Luna|Ricardo Darín|Wagner Moura|Fernanda Montenegro|Fernanda Torres|
Omar Sy|Marion Cotillard|Léa Seydoux|Catherine Deneuve|Gérard Depardieu|Monica Bellucci|Sophia Loren|Christoph Waltz|Daniel Brühl|Mads Mikkelsen|
Stellan Skarsgård|Alicia Vikander|Shah Rukh Khan=SRK|Salman Khan|Aamir Khan|Deepika Padukone|Alia Bhatt|Ranveer Singh|Ranbir Kapoor|Priyanka Chopra|
Amitabh Bachchan|Hrithik Roshan|Akshay Kumar|Katrina Kaif|Allu Arjun|Prabhas|Ram Charan|Rajinikanth|Vijay Deverakonda|Mahesh Babu|Jackie Chan|Jet Li|
Donnie Yen|Michelle Yeoh|Tony Leung|Ken Watanabe|Hiroyuki Sanada|Song Kang-ho|Lee Jung-jae|Lee Min-ho|Park Seo-joon|Song Joong-ki|Hyun Bin|Son Ye-jin|
Kim Soo-hyun|Bae Suzy|Steven Spielberg|Martin Scorsese|Christopher Nolan|Quentin Tarantino|James Cameron|Ridley Scott|Greta Gerwig|Denis Villeneuve|
Wes Anderson|Bong Joon-ho|Hayao Miyazaki=宮崎駿|Pedro Almodóvar|Guillermo del Toro|Alfonso Cuarón|Alejandro González Iñárritu|Peter Jackson|George Lucas`,
  ATHLETE: `Neymar|Luka Modrić|Kevin De Bruyne|Mohamed Salah|Sadio Mané|Harry Kane|Jude Bellingham|Bukayo Saka|Phil Foden|Marcus Rashford|Bruno Fernandes|
Vinícius Júnior=Vinicius Jr=Vini Jr|Rodrygo|Endrick|Pedri|Gavi|Lamine Yamal|Nico Williams|Rodri|Álvaro Morata|Sergio Ramos|Andrés Iniesta|Xavi Hernández|
Gerard Piqué|Iker Casillas|Robert Lewandowski|Toni Kroos|Manuel Neuer|Thomas Müller|Jamal Musiala|Florian Wirtz|Kai Havertz|Antoine Griezmann|Paul Pogba|
N’Golo Kanté|Ousmane Dembélé|Karim Benzema|Zinédine Zidane|Zlatan Ibrahimović|Romelu Lukaku|Eden Hazard|Virgil van Dijk|Frenkie de Jong|Cody Gakpo|
Son Heung-min|Takefusa Kubo=久保建英|Kaoru Mitoma=三笘薫|Victor Osimhen|Achraf Hakimi|Riyad Mahrez|Julián Álvarez|Lautaro Martínez|Enzo Fernández|
Ángel Di María|Emiliano Martínez|Paulo Dybala|Luis Suárez|Edinson Cavani|Darwin Núñez|Federico Valverde|James Rodríguez|Luis Díaz|Radamel Falcao|
Alexis Sánchez|Arturo Vidal|Keylor Navas|Chicharito Hernández|Hirving Lozano|Diego Maradona|Pelé|Ronaldinho|Ronaldo Nazário|Kaká|David Beckham|
Wayne Rooney|Steven Gerrard|Frank Lampard|Alexia Putellas|Aitana Bonmatí|Sam Kerr|Megan Rapinoe|Alex Morgan|Marta Vieira|Lucy Bronze|Leah Williamson|
Michael Jordan|Kobe Bryant|Shaquille O’Neal|Magic Johnson|Larry Bird|Kevin Durant|James Harden|Russell Westbrook|Giannis Antetokounmpo|Nikola Jokić|
Luka Dončić|Jayson Tatum|Jaylen Brown|Joel Embiid|Anthony Davis|Kawhi Leonard|Damian Lillard|Devin Booker|Ja Morant|Zion Williamson|Victor Wembanyama|
Anthony Edwards|Shai Gilgeous-Alexander|Jimmy Butler|Kyrie Irving|Chris Paul|Caitlin Clark|Angel Reese|A’ja Wilson|Breanna Stewart|Sabrina Ionescu|
Tom Brady|Aaron Rodgers|Josh Allen|Joe Burrow|Lamar Jackson|Jalen Hurts|Dak Prescott|Travis Kelce|Jason Kelce|Justin Jefferson|Tyreek Hill|Christian McCaffrey|
Saquon Barkley|Brock Purdy|C.J. Stroud|Caleb Williams|Peyton Manning|Eli Manning|Mike Trout|Aaron Judge|Mookie Betts|Juan Soto|Bryce Harper|
Fernando Tatis Jr.=Fernando Tatis Jr|Ronald Acuña Jr.=Ronald Acuña Jr|Yoshinobu Yamamoto|Ichiro Suzuki=イチロー|Clayton Kershaw|Derek Jeter|Babe Ruth|
Connor McDavid|Sidney Crosby|Alex Ovechkin|Auston Matthews|Nathan MacKinnon|Wayne Gretzky|Roger Federer|Rafael Nadal|Novak Djokovic|Andy Murray|Jannik Sinner|
Daniil Medvedev|Alexander Zverev|Stefanos Tsitsipas|Holger Rune|Casper Ruud|Taylor Fritz|Frances Tiafoe|Nick Kyrgios|Coco Gauff|Aryna Sabalenka|
Elena Rybakina|Emma Raducanu|Venus Williams|Maria Sharapova|Tiger Woods|Rory McIlroy|Scottie Scheffler|Jon Rahm|Bryson DeChambeau|Jordan Spieth|Nelly Korda|
Charles Leclerc|Lando Norris|Oscar Piastri|George Russell|Carlos Sainz|Fernando Alonso|Sergio Pérez|Sebastian Vettel|Daniel Ricciardo|Yuki Tsunoda=角田裕毅|
Michael Schumacher|Ayrton Senna|Marc Márquez|Valentino Rossi|Francesco Bagnaia|Usain Bolt|Noah Lyles|Sha’Carri Richardson|Eliud Kipchoge|Mo Farah|
Sifan Hassan|Mondo Duplantis=Armand Duplantis|Faith Kipyegon|Michael Phelps|Katie Ledecky|Caeleb Dressel|Léon Marchand|Adam Peaty|Sunisa Lee|Nadia Comăneci|
Rebeca Andrade|Yuzuru Hanyu=羽生結弦|Nathan Chen|Lindsey Vonn|Mikaela Shiffrin|Marco Odermatt|Shaun White|Chloe Kim|Eileen Gu|Tadej Pogačar|Jonas Vingegaard|
Remco Evenepoel|Mathieu van der Poel|Wout van Aert|Chris Froome|Muhammad Ali|Mike Tyson|Floyd Mayweather|Manny Pacquiao|Tyson Fury|Anthony Joshua|
Oleksandr Usyk|Canelo Álvarez|Ryan Garcia|Conor McGregor|Khabib Nurmagomedov|Jon Jones|Islam Makhachev|Alex Pereira|Israel Adesanya|Amanda Nunes|
John Cena|Roman Reigns|Cody Rhodes|Rhea Ripley|Sachin Tendulkar|MS Dhoni|Rohit Sharma|Jasprit Bumrah|KL Rahul|Hardik Pandya|Rishabh Pant|Shubman Gill|
Ravindra Jadeja|Babar Azam|Shaheen Afridi|Ben Stokes|Joe Root|Jos Buttler|Steve Smith|Pat Cummins|David Warner|Kane Williamson|AB de Villiers|Rashid Khan|
Shakib Al Hasan|Smriti Mandhana|Antoine Dupont|Siya Kolisi|Maro Itoje|Neeraj Chopra|PV Sindhu|Lin Dan|Magnus Carlsen|Hikaru Nakamura|Gukesh Dommaraju`,
  COACH: `Pep Guardiola|Jürgen Klopp|José Mourinho|Carlo Ancelotti|Mikel Arteta|Erik ten Hag|Diego Simeone|Luis Enrique|Hansi Flick|Xabi Alonso|Thomas Tuchel|
Antonio Conte|Lionel Scaloni|Didier Deschamps|Gareth Southgate|Ange Postecoglou|Alex Ferguson|Arsène Wenger|Ruben Amorim|Arne Slot|Steve Kerr|
Gregg Popovich|Phil Jackson|Erik Spoelstra|Andy Reid|Bill Belichick|Nick Saban|Kyle Shanahan|Deion Sanders|Christian Horner|Toto Wolff`,
  PERSON: `Warren Buffett|Larry Page|Sergey Brin|Sundar Pichai|Satya Nadella|Steve Jobs|Jensen Huang|Lisa Su|Demis Hassabis|Jack Dorsey|Linus Torvalds|
Guido van Rossum|Tim Berners-Lee|Ada Lovelace|Alan Turing|Grace Hopper|Isaac Newton|Charles Darwin|Galileo Galilei|Nikola Tesla|Thomas Edison|
Stephen Hawking|Carl Sagan|Richard Feynman|Rosalind Franklin|Leonardo da Vinci|Michelangelo|Vincent van Gogh|Pablo Picasso|Claude Monet|Rembrandt|
Salvador Dalí|Andy Warhol|Banksy|Yayoi Kusama=草間彌生|William Shakespeare|Jane Austen|Charles Dickens|Leo Tolstoy|Fyodor Dostoevsky|Franz Kafka|
Ernest Hemingway|Virginia Woolf|George Orwell|Gabriel García Márquez|Jorge Luis Borges|Isabel Allende|Mario Vargas Llosa|Pablo Neruda|Miguel de Cervantes|
Haruki Murakami=村上春樹|Chimamanda Ngozi Adichie|Salman Rushdie|Margaret Atwood|Stephen King|J.K. Rowling|J.R.R. Tolkien|George R. R. Martin|
Agatha Christie|Dan Brown|Colleen Hoover|Sally Rooney|Mahatma Gandhi|Martin Luther King Jr.=Martin Luther King|Abraham Lincoln|George Washington|
Winston Churchill|Napoleon Bonaparte|Julius Caesar|Cleopatra|Alexander the Great|Karl Marx|Sigmund Freud|Friedrich Nietzsche|Confucius|Aristotle|
Simón Bolívar|Che Guevara|Eva Perón|Queen Elizabeth II=Queen Elizabeth|King Charles III=King Charles|Prince William|Prince Harry|Kate Middleton|
Meghan Markle|Princess Diana|Pope Francis|Pope Leo XIV|Dalai Lama|Mother Teresa|Oprah Winfrey|Kim Kardashian|Kylie Jenner|Kendall Jenner|Gigi Hadid|
Bella Hadid|Hailey Bieber|Paris Hilton|Victoria Beckham|Michelle Obama|Melania Trump|Jill Biden|Julian Assange|Edward Snowden|Noam Chomsky|Joe Rogan|
Jordan Peterson|Amal Clooney|Melinda French Gates|MacKenzie Scott|Bernard Arnault|Jack Ma|Mukesh Ambani|Gautam Adani|Ratan Tata|Carlos Slim|
Masayoshi Son|Rupert Murdoch|Vitalik Buterin|Satoshi Nakamoto|Sam Bankman-Fried|Changpeng Zhao|Anthony Fauci|Tedros Adhanom Ghebreyesus|Jamie Dimon|
Jerome Powell|Janet Yellen|Julia Child|Jamie Oliver|Anthony Bourdain|David Attenborough|Bear Grylls|Neil Armstrong|Buzz Aldrin|Yuri Gagarin|
Valentina Tereshkova|Amelia Earhart|Marie Kondo|Dolores Huerta|Rosa Parks|Harriet Tubman|Frederick Douglass|Malcolm X|Desmond Tutu|Wangari Maathai`,
}
