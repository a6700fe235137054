/** Institutions, sights, universities and subjects. Other names follow after `=`. */
export const WORLD: Record<
  | 'INSTITUTION'
  | 'SCIENCE'
  | 'POI'
  | 'UNIVERSITY'
  | 'TECHNOLOGY'
  | 'FIELD'
  | 'HOLIDAY'
  | 'WEATHER'
  | 'EMERGENCY'
  | 'FOOD'
  | 'ANIMAL'
  | 'REGION',
  string
> = {
  INSTITUTION: `United Nations=UN|UNICEF|UNESCO|UNHCR|World Health Organization|World Bank|International Monetary Fund=IMF|World Trade Organization=WTO|NATO|European Union=EU|European Parliament|
European Commission|European Central Bank=ECB|European Court of Human Rights|African Union|ASEAN|OPEC|OECD|Interpol|Europol|International Criminal Court|International Court of Justice|
Red Cross|Doctors Without Borders=Médecins Sans Frontières=MSF|Amnesty International|Human Rights Watch|Greenpeace|WWF|Oxfam|Save the Children|Transparency International|
Electronic Frontier Foundation|Wikimedia Foundation|Bill & Melinda Gates Foundation|FBI|CIA|NSA|FDA|CDC|EPA|FCC|SEC|IRS|Federal Reserve|
US Supreme Court=Supreme Court|US Congress|US Senate|House of Representatives|Pentagon|White House|Department of Justice|Homeland Security|Democratic Party|Republican Party=GOP|
House of Commons|House of Lords|Labour Party|Conservative Party|Liberal Democrats|Reform UK|Scottish National Party=SNP|NHS|Bank of England|Downing Street|Scotland Yard|Bundestag|
Bundesrat|Bundeswehr|CDU|SPD|AfD|Die Linke|Assemblée nationale|La France insoumise|Rassemblement National|Partido Popular|PSOE|Podemos|Vox España|Congreso de los Diputados|
Lega Nord|Fratelli d’Italia|Lok Sabha|Rajya Sabha|Bharatiya Janata Party=BJP|Indian National Congress|Aam Aadmi Party|Reserve Bank of India|Kremlin|Duma|Knesset|IDF|Hamas|
Hezbollah|Taliban|Chinese Communist Party|Liberal Democratic Party|Bank of Japan|Morena|Partido dos Trabalhadores|Supremo Tribunal Federal=STF|Polícia Federal|Casa Rosada|
African National Congress=ANC|Democratic Alliance|All Progressives Congress|FIFA|UEFA|CONMEBOL|IOC|FIA|International Olympic Committee|ICC|World Economic Forum|G7|G20|BRICS|COP30|
The Vatican=Vatican|Church of England|Catholic Church|Smithsonian Institution|British Museum|Library of Congress|Nature Journal|The Lancet|Linux Foundation|Apache Software Foundation`,
  SCIENCE: `NASA|ESA|JAXA|ISRO|Roscosmos|CERN|NOAA|Max Planck Society|National Science Foundation|Royal Society`,
  POI: `Eiffel Tower|Louvre|Notre-Dame|Arc de Triomphe|Champs-Élysées|Palace of Versailles|Mont-Saint-Michel|Big Ben|Tower of London|Tower Bridge|Buckingham Palace|London Eye|Stonehenge|
Hadrian’s Wall|Edinburgh Castle|Loch Ness|Giant’s Causeway|Cliffs of Moher|Colosseum|Trevi Fountain|Pantheon|Vatican Museums|Sistine Chapel|Leaning Tower of Pisa|Pompeii|Mount Vesuvius|
Mount Etna|Lake Como|Cinque Terre|Amalfi Coast|Sagrada Família|Park Güell|Alhambra|Prado Museum|Camino de Santiago|Brandenburg Gate|Berlin Wall|Neuschwanstein Castle|Cologne Cathedral|
Oktoberfest|Anne Frank House|Rijksmuseum|Keukenhof|Grand Place|Matterhorn|Mont Blanc|Jungfraujoch|Schönbrunn Palace|Charles Bridge|Prague Castle|Auschwitz|Acropolis|Parthenon|Santorini|
Mykonos|Hagia Sophia|Blue Mosque|Cappadocia|Red Square|Saint Basil’s Cathedral|Hermitage Museum|Statue of Liberty|Empire State Building|Times Square|Central Park|Brooklyn Bridge|
Wall Street|Broadway|Golden Gate Bridge|Alcatraz|Hollywood Sign|Hollywood Boulevard|Disneyland|Walt Disney World|Universal Studios|Grand Canyon|Yosemite|Yellowstone National Park|
Zion National Park|Niagara Falls|Mount Rushmore|Lincoln Memorial|Capitol Hill|Las Vegas Strip|Hoover Dam|Route 66|Death Valley|Great Barrier Reef|Sydney Opera House|Uluru|Bondi Beach|
Banff National Park|CN Tower|Machu Picchu|Cusco Cathedral|Nazca Lines|Chichén Itzá|Teotihuacán|Christ the Redeemer=Cristo Redentor|Copacabana|Ipanema|Iguazu Falls|Amazon rainforest|
Amazon River|Perito Moreno|Torres del Paine|Atacama Desert|Easter Island|Galápagos Islands|Salar de Uyuni|Lake Titicaca|Angel Falls|Pyramids of Giza|Great Sphinx|Valley of the Kings|
Nile River|Suez Canal|Panama Canal|Strait of Hormuz|Red Sea|Black Sea|Mediterranean Sea|Sahara Desert|Victoria Falls|Mount Kilimanjaro=Kilimanjaro|Serengeti|Maasai Mara|Kruger National Park|
Table Mountain|Robben Island|Petra|Wadi Rum|Dead Sea|Western Wall|Burj Khalifa|Palm Jumeirah|Mecca|Kaaba|Taj Mahal|Red Fort|Gateway of India|Golden Temple|Mount Everest|Himalayas|
Angkor Wat|Ha Long Bay|Petronas Towers|Marina Bay Sands|Gardens by the Bay|Borobudur|Mount Bromo|Komodo Island|Boracay|Great Wall of China|Forbidden City|Tiananmen Square|Terracotta Army|
Victoria Harbour|Taipei 101|Mount Fuji=富士山|Tokyo Tower=東京タワー|Tokyo Skytree=東京スカイツリー|Shibuya Crossing|Shibuya=渋谷|Shinjuku=新宿|Akihabara=秋葉原|Fushimi Inari|Tokyo Disneyland|Gyeongbokgung|
Gangnam|Jeju Island|Silicon Valley|Bay Area|Bavarian Alps|Black Forest|Alps|Andes|Rocky Mountains|Pacific Ocean|Atlantic Ocean|Indian Ocean|Arctic|Antarctica|Wembley Stadium|Old Trafford|
Anfield|Camp Nou|Santiago Bernabéu|San Siro|Allianz Arena|Maracanã|La Bombonera|Estadio Azteca|Madison Square Garden|Fenway Park|Wrigley Field|Lord’s Cricket Ground|Heathrow Airport|
Gatwick Airport|JFK Airport|LAX|Schiphol|Charles de Gaulle Airport|Changi Airport|Haneda Airport|Narita Airport|Dubai International Airport`,
  UNIVERSITY: `Harvard University=Harvard|Yale University|Princeton University|Stanford University|Massachusetts Institute of Technology|Caltech|Columbia University|Cornell University|
Brown University|Dartmouth College|University of Pennsylvania|University of Chicago|Duke University|Northwestern University|Johns Hopkins University|UC Berkeley|UCLA|University of Michigan|
University of Texas|New York University=NYU|Carnegie Mellon University|Georgia Tech|Ohio State University|Penn State|Purdue University|Rice University|Howard University|
University of Oxford=Oxford University|University of Cambridge=Cambridge University|Imperial College London|University College London|London School of Economics|King’s College London|
University of Edinburgh|University of Manchester|Trinity College Dublin|University of Toronto|McGill University|University of British Columbia|University of Melbourne|
University of Sydney|Australian National University|ETH Zurich|EPFL|Sorbonne|Sciences Po|École Polytechnique|Technical University of Munich|Heidelberg University|
Humboldt University|University of Amsterdam|TU Delft|KU Leuven|Karolinska Institute|University of Copenhagen|University of Bologna|Politecnico di Milano|
Universidad Complutense|Universidad de Buenos Aires|UNAM|Universidade de São Paulo|Unicamp|Pontificia Universidad Católica|University of Tokyo=東京大学|Kyoto University=京都大学|
Waseda University=早稲田大学|Keio University=慶應義塾大学|Peking University|Tsinghua University|National University of Singapore|University of Hong Kong|Seoul National University|KAIST|
IIT Bombay|IIT Delhi|Jawaharlal Nehru University|Delhi University|University of Cape Town|University of Nairobi|Makerere University|University of Lagos|University of Ghana|Cairo University`,
  TECHNOLOGY: `Artificial intelligence|Machine learning|Deep learning|Large language models|Generative AI|Computer vision|Natural language processing|Robotics|Quantum computing|Cloud computing|
Edge computing|Cybersecurity|Ransomware|Open source|Web3|Blockchain|Virtual reality|Augmented reality|Internet of Things|Self-driving cars|Autonomous vehicles|Electric vehicles|Solar power|
Wind power|Nuclear fusion|Nuclear energy|Green hydrogen|Battery storage|Carbon capture|3D printing|Gene editing|CRISPR|mRNA vaccines|Semiconductors|Smart homes|Wearable technology|5G|6G`,
  FIELD: `Astronomy|Astrophysics|Biology|Chemistry|Physics|Mathematics|Statistics|Economics|Psychology|Sociology|Anthropology|Archaeology|Linguistics|Philosophy|Political science|Neuroscience|
Genetics|Ecology|Geology|Oceanography|Meteorology|Computer science|Data science|Information theory|Mechanical engineering|Electrical engineering|Civil engineering|Art history|Musicology|
Epidemiology|Public policy|International relations|Climate science|Materials science|Marine biology|Paleontology`,
  HOLIDAY: `Christmas|Christmas Eve|Boxing Day|New Year’s Eve|Easter Sunday|Good Friday|Thanksgiving|Halloween|Hanukkah|Passover|Yom Kippur|Rosh Hashanah|Ramadan|Eid al-Fitr|Eid al-Adha|
Eid Mubarak|Diwali|Holi|Navratri|Ganesh Chaturthi|Raksha Bandhan|Lunar New Year|Chinese New Year|Mid-Autumn Festival|Chuseok|Songkran|Vesak|Carnival of Rio|Mardi Gras|Cinco de Mayo|
Día de los Muertos=Day of the Dead|Semana Santa|San Fermín|La Tomatina|Saint Patrick’s Day=St. Patrick’s Day|Bastille Day|Canada Day|Australia Day|Juneteenth|Independence Day|Memorial Day|
Labor Day|Veterans Day|Remembrance Day|Bonfire Night|Midsummer|Saint Lucia Day|Kwanzaa|Pride Month|Black History Month|Earth Day|Earth Hour|World Book Day|Pi Day|Star Wars Day|Friendsgiving`,
  WEATHER: `Heat wave=Heatwave|Cold snap|Thunderstorm|Snowstorm|Hailstorm|Polar vortex|El Niño|La Niña|Northern lights=Aurora borealis|Solar eclipse|Lunar eclipse|Blood moon|Meteor shower|Perseids`,
  EMERGENCY: `Earthquake|Tsunami|Wildfire|Wildfires|Flash flood|Flooding|Landslide|Hurricane|Typhoon|Cyclone|Tornado|Volcanic eruption|Avalanche warning|Power outage|Evacuation order|Bushfire|Terremoto|台風|地震|津波`,
  FOOD: `Pizza|Pasta|Sushi|Ramen|Tacos|Burritos|Burgers|Barbecue|Fried chicken|Fish and chips|Croissants|Sourdough|Cheese fondue|Tapas|Paella|Risotto|Gelato|Tiramisu|Dim sum|Pad thai|Pho|
Banh mi|Curry|Biryani|Samosas|Hummus|Falafel|Shawarma|Kebab|Jollof rice|Couscous|Ceviche|Empanadas|Arepas|Feijoada|Poutine|Maple syrup|Kimchi|Bibimbap|Tteokbokki|Bubble tea|Matcha|Espresso|
Cappuccino|Craft beer|Natural wine|Champagne|Whisky|Cocktails|Ice cream|Chocolate chip cookies|Pancakes|Waffles|Vegan food|Vegetarian food|Street food|Meal prep|Baking|Home cooking`,
  ANIMAL: `Cats|Dogs|Puppies|Kittens|Golden retrievers|French bulldogs|Corgis|Dachshunds|Huskies|Horses|Ponies|Rabbits|Hamsters|Guinea pigs|Parrots|Owls|Penguins|Puffins|Eagles of prey|Hummingbirds|
Whales|Dolphins|Sharks|Octopuses|Sea turtles|Coral reefs|Pandas|Red pandas|Koalas|Kangaroos|Elephants|Giraffes|Lions|Tigers of Asia|Cheetahs|Gorillas|Orangutans|Sloths|Otters|Capybaras|Hedgehogs|
Foxes|Wolves|Polar bears|Bees|Butterflies|Snakes|Frogs|Dinosaurs`,
  REGION: `Middle East|Latin America|South America|North America|Central America|Caribbean|Southeast Asia|East Asia|South Asia|Central Asia|Eastern Europe|Western Europe|Scandinavia|Balkans|
North Africa|West Africa|East Africa|Southern Africa|Sub-Saharan Africa|Europe|Asia|Africa|Oceania|Gaza=Gaza Strip|West Bank|Crimea|Donbas|Kashmir|Catalonia|Basque Country|Scotland|Wales|
Northern Ireland|England|Bavaria|Tuscany|Sicily|Provence|Normandy|Brittany|Siberia|Patagonia|Punjab|Tibet|Xinjiang|Okinawa=沖縄|Hokkaido=北海道|Tohoku=東北|Kyushu=九州`,
}
