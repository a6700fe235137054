// ISO code; names, the first in English; large cities and regions. They are compared without case and accents.
const COUNTRIES = `
AD|Andorra|Andorra la Vella
AE|United Arab Emirates,UAE,Emirates|Dubai,Abu Dhabi,Sharjah,Ajman
AF|Afghanistan|Kabul,Kandahar,Herat
AG|Antigua and Barbuda,Antigua|Saint John's
AL|Albania,Shqipëria|Tirana,Durrës
AM|Armenia,Հայաստան|Yerevan,Gyumri
AO|Angola|Luanda,Huambo,Benguela
AR|Argentina|Buenos Aires,Rosario,Mendoza,La Plata,Mar del Plata
AT|Austria,Österreich|Vienna,Wien,Graz,Linz,Salzburg,Innsbruck
AU|Australia|Sydney,Melbourne,Brisbane,Perth,Adelaide,Canberra,Hobart,Darwin,Gold Coast,Queensland,New South Wales,NSW,Tasmania
AZ|Azerbaijan,Azərbaycan|Baku,Bakı,Ganja
BA|Bosnia and Herzegovina,Bosnia|Sarajevo,Banja Luka,Mostar
BB|Barbados|Bridgetown
BD|Bangladesh,বাংলাদেশ|Dhaka,Chittagong,Chattogram,Khulna,Sylhet
BE|Belgium,Belgique,België|Brussels,Bruxelles,Brussel,Antwerp,Antwerpen,Ghent,Gent,Liège,Bruges,Leuven
BF|Burkina Faso|Ouagadougou,Bobo-Dioulasso
BG|Bulgaria,България|Sofia,София,Plovdiv,Varna
BH|Bahrain,البحرين|Manama
BI|Burundi|Bujumbura,Gitega
BJ|Benin,Bénin|Cotonou,Porto-Novo
BN|Brunei|Bandar Seri Begawan
BO|Bolivia|La Paz,Santa Cruz de la Sierra,Cochabamba,Sucre
BR|Brazil,Brasil|São Paulo,Rio de Janeiro,Brasília,Salvador,Fortaleza,Belo Horizonte,Curitiba,Recife,Porto Alegre,Manaus,Belém,Goiânia
BS|Bahamas|Nassau
BT|Bhutan|Thimphu
BW|Botswana|Gaborone,Francistown
BY|Belarus,Беларусь|Minsk,Минск,Gomel
BZ|Belize|Belmopan,Belize City
CA|Canada|Toronto,Montreal,Montréal,Vancouver,Calgary,Ottawa,Edmonton,Quebec,Québec,Winnipeg,Halifax,Ontario,British Columbia,Alberta
CD|Democratic Republic of the Congo,DR Congo,DRC|Kinshasa,Lubumbashi,Goma
CF|Central African Republic|Bangui
CG|Congo,Republic of the Congo|Brazzaville,Pointe-Noire
CH|Switzerland,Schweiz,Suisse,Svizzera|Zurich,Zürich,Geneva,Genève,Basel,Bern,Lausanne,Lucerne,Luzern,Lugano
CI|Ivory Coast,Côte d'Ivoire|Abidjan,Yamoussoukro,Bouaké
CL|Chile|Santiago de Chile,Valparaíso,Concepción,Viña del Mar,Antofagasta
CM|Cameroon,Cameroun|Yaoundé,Douala
CN|China,中国|Beijing,北京,Shanghai,上海,Guangzhou,广州,Shenzhen,深圳,Chengdu,成都,Wuhan,Hangzhou,Tianjin,Chongqing
CO|Colombia|Bogotá,Medellín,Cali,Barranquilla,Bucaramanga
CR|Costa Rica|San José de Costa Rica,Alajuela,Heredia
CU|Cuba|Havana,La Habana,Santiago de Cuba
CV|Cape Verde,Cabo Verde|Praia,Mindelo
CY|Cyprus,Κύπρος|Nicosia,Limassol,Larnaca,Paphos
CZ|Czechia,Czech Republic,Česko|Prague,Praha,Brno,Ostrava,Plzeň
DE|Germany,Deutschland|Berlin,Hamburg,Munich,München,Cologne,Köln,Frankfurt,Stuttgart,Düsseldorf,Leipzig,Dresden,Hannover,Bremen,Nürnberg,Bavaria,Bayern
DJ|Djibouti|Djibouti City
DK|Denmark,Danmark|Copenhagen,København,Aarhus,Odense,Aalborg
DM|Dominica|Roseau
DO|Dominican Republic,República Dominicana|Santo Domingo,Punta Cana
DZ|Algeria,Algérie,الجزائر|Algiers,Alger,Oran,Constantine
EC|Ecuador|Quito,Guayaquil,Cuenca
EE|Estonia,Eesti|Tallinn,Tartu
EG|Egypt,مصر|Cairo,القاهرة,Alexandria,Giza,Luxor
ER|Eritrea|Asmara
ES|Spain,España,Espanya|Madrid,Barcelona,Valencia,Seville,Sevilla,Zaragoza,Málaga,Bilbao,Murcia,Palma de Mallorca,Granada,Catalunya,Andalucía,Galicia
ET|Ethiopia|Addis Ababa,Dire Dawa
FI|Finland,Suomi|Helsinki,Espoo,Tampere,Turku,Oulu
FJ|Fiji|Suva,Nadi
FM|Micronesia|Palikir
FR|France|Paris,Marseille,Lyon,Toulouse,Nice,Nantes,Strasbourg,Montpellier,Bordeaux,Lille,Rennes,Grenoble,Bretagne,Normandie
GA|Gabon|Libreville
GB|United Kingdom,UK,U.K.,Great Britain,England,Scotland,Wales,Northern Ireland|London,Manchester,Birmingham,Glasgow,Edinburgh,Liverpool,Leeds,Bristol,Sheffield,Cardiff,Belfast,Newcastle,Nottingham,Brighton,Oxford,Cambridge
GD|Grenada|St. George's
GE|Republic of Georgia,საქართველო,Sakartvelo|Tbilisi,Batumi
GH|Ghana|Accra,Kumasi,Tema
GM|Gambia|Banjul,Serekunda
GN|Guinea,Guinée|Conakry
GQ|Equatorial Guinea|Malabo,Bata
GR|Greece,Ελλάδα,Hellas|Athens,Αθήνα,Thessaloniki,Θεσσαλονίκη,Patras,Heraklion
GT|Guatemala|Guatemala City,Quetzaltenango
GW|Guinea-Bissau|Bissau
GY|Guyana|Georgetown
HK|Hong Kong,香港|Kowloon,九龍
HN|Honduras|Tegucigalpa,San Pedro Sula
HR|Croatia,Hrvatska|Zagreb,Split,Rijeka,Dubrovnik
HT|Haiti,Haïti|Port-au-Prince
HU|Hungary,Magyarország|Budapest,Debrecen,Szeged
ID|Indonesia|Jakarta,Surabaya,Bandung,Medan,Yogyakarta,Semarang,Makassar,Bali,Denpasar,Jawa Barat
IE|Ireland,Éire|Dublin,Cork,Galway,Limerick,Waterford,Kilkenny,Kerry
IL|Israel,ישראל|Tel Aviv,תל אביב,Jerusalem,Haifa
IN|India,भारत|Mumbai,Delhi,New Delhi,Bengaluru,Bangalore,Hyderabad,Chennai,Kolkata,Pune,Ahmedabad,Jaipur,Lucknow,Kerala,Kochi,Maharashtra,Tamil Nadu,Punjab,Gujarat
IQ|Iraq,العراق|Baghdad,بغداد,Basra,Erbil,Mosul
IR|Iran,ایران|Tehran,تهران,Mashhad,Isfahan,Shiraz,Tabriz
IS|Iceland,Ísland|Reykjavík,Akureyri
IT|Italy,Italia|Rome,Roma,Milan,Milano,Naples,Napoli,Turin,Torino,Palermo,Genoa,Genova,Bologna,Florence,Firenze,Bari,Catania,Venice,Venezia,Verona,Sicilia,Sardegna,Toscana
JM|Jamaica|Kingston,Montego Bay
JO|Jordan,الأردن|Amman,Irbid
JP|Japan,日本|Tokyo,東京,Osaka,大阪,Kyoto,京都,Yokohama,横浜,Nagoya,名古屋,Sapporo,札幌,Fukuoka,福岡,Kobe,神戸,Hiroshima,広島,Sendai,仙台,Okinawa,沖縄
KE|Kenya|Nairobi,Mombasa,Kisumu,Nakuru
KG|Kyrgyzstan|Bishkek,Osh
KH|Cambodia,កម្ពុជា|Phnom Penh,Siem Reap
KM|Comoros|Moroni
KN|Saint Kitts and Nevis|Basseterre
KR|South Korea,Korea,Republic of Korea,대한민국,한국|Seoul,서울,Busan,부산,Incheon,인천,Daegu,대구,Daejeon,Gwangju
KW|Kuwait,الكويت|Kuwait City
KZ|Kazakhstan,Қазақстан|Almaty,Astana,Shymkent
LA|Laos|Vientiane,Luang Prabang
LB|Lebanon,لبنان|Beirut,بيروت
LC|Saint Lucia|Castries
LI|Liechtenstein|Vaduz
LK|Sri Lanka|Colombo,Kandy,Galle
LR|Liberia|Monrovia
LS|Lesotho|Maseru
LT|Lithuania,Lietuva|Vilnius,Kaunas,Klaipėda
LU|Luxembourg|Luxembourg City,Esch-sur-Alzette
LV|Latvia,Latvija|Riga,Rīga
LY|Libya,ليبيا|Tripoli,Benghazi
MA|Morocco,Maroc,المغرب|Casablanca,Rabat,Marrakech,Marrakesh,Fès,Tangier,Agadir
MC|Monaco|Monte Carlo
MD|Moldova|Chișinău
ME|Montenegro,Crna Gora|Podgorica,Budva
MG|Madagascar|Antananarivo
MK|North Macedonia,Macedonia,Македонија|Skopje
ML|Mali|Bamako
MM|Myanmar,Burma|Yangon,Mandalay,Naypyidaw
MN|Mongolia|Ulaanbaatar
MO|Macao,Macau,澳門|Taipa
MR|Mauritania|Nouakchott
MT|Malta|Valletta,Sliema
MU|Mauritius|Port Louis
MV|Maldives|Malé
MW|Malawi|Lilongwe,Blantyre
MX|Mexico,México|Mexico City,Ciudad de México,CDMX,Guadalajara,Monterrey,Puebla,Tijuana,Cancún,Jalisco,Oaxaca,Querétaro
MY|Malaysia|Kuala Lumpur,Penang,Johor Bahru,Kuching,Kota Kinabalu,Selangor
MZ|Mozambique,Moçambique|Maputo,Beira
NA|Namibia|Windhoek,Swakopmund
NE|Republic of Niger|Niamey
NG|Nigeria|Lagos,Abuja,Kano,Ibadan,Port Harcourt,Benin City,Kaduna,Enugu
NI|Nicaragua|Managua
NL|Netherlands,The Netherlands,Nederland,Holland|Amsterdam,Rotterdam,The Hague,Den Haag,Utrecht,Eindhoven,Groningen
NO|Norway,Norge|Oslo,Bergen,Trondheim,Stavanger
NP|Nepal,नेपाल|Kathmandu,Pokhara
NZ|New Zealand,Aotearoa|Auckland,Wellington,Christchurch,Dunedin
OM|Oman,عمان|Muscat,Salalah
PA|Panama,Panamá|Panama City,Ciudad de Panamá
PE|Peru,Perú|Lima,Arequipa,Cusco,Trujillo
PG|Papua New Guinea|Port Moresby
PH|Philippines,Pilipinas|Manila,Quezon City,Cebu,Davao,Makati
PK|Pakistan,پاکستان|Karachi,Lahore,Islamabad,Rawalpindi,Faisalabad,Peshawar
PL|Poland,Polska|Warsaw,Warszawa,Kraków,Cracow,Łódź,Wrocław,Poznań,Gdańsk,Katowice
PR|Puerto Rico|San Juan
PS|Palestine,فلسطين|Gaza,Ramallah,Nablus
PT|Portugal|Lisbon,Lisboa,Porto,Braga,Coimbra,Faro,Algarve,Funchal,Madeira,Setúbal
PY|Paraguay|Asunción,Ciudad del Este
QA|Qatar,قطر|Doha,الدوحة
RO|Romania,România|Bucharest,București,Cluj-Napoca,Timișoara,Iași,Brașov
RS|Serbia,Srbija,Србија|Belgrade,Beograd,Novi Sad,Niš
RU|Russia,Россия,Russian Federation|Moscow,Москва,Saint Petersburg,St. Petersburg,Санкт-Петербург,Novosibirsk,Yekaterinburg,Kazan
RW|Rwanda|Kigali
SA|Saudi Arabia,KSA,السعودية|Riyadh,الرياض,Jeddah,جدة,Mecca,Medina,Dammam
SC|Seychelles|Mahé
SD|Sudan,السودان|Khartoum,Omdurman
SE|Sweden,Sverige|Stockholm,Gothenburg,Göteborg,Malmö,Uppsala
SG|Singapore,新加坡|Jurong
SI|Slovenia,Slovenija|Ljubljana,Maribor
SK|Slovakia,Slovensko|Bratislava,Košice
SL|Sierra Leone|Freetown
SN|Senegal,Sénégal|Dakar
SO|Somalia|Mogadishu,Hargeisa
SR|Suriname|Paramaribo
SS|South Sudan|Juba
SV|El Salvador|San Salvador,Santa Ana
SY|Syria,سوريا|Damascus,دمشق,Aleppo
SZ|Eswatini,Swaziland|Mbabane
TD|Chad,Tchad|N'Djamena
TG|Togo|Lomé
TH|Thailand,ประเทศไทย,ไทย|Bangkok,กรุงเทพ,Chiang Mai,Phuket,Pattaya
TJ|Tajikistan|Dushanbe
TM|Turkmenistan|Ashgabat
TN|Tunisia,Tunisie,تونس|Tunis,Sfax,Sousse
TR|Turkey,Türkiye|Istanbul,İstanbul,Ankara,Izmir,İzmir,Bursa,Antalya,Adana
TT|Trinidad and Tobago,Trinidad|Port of Spain,San Fernando
TW|Taiwan,台灣,臺灣|Taipei,台北,Kaohsiung,高雄,Taichung,台中
TZ|Tanzania|Dar es Salaam,Dodoma,Arusha,Zanzibar
UA|Ukraine,Україна|Kyiv,Київ,Kiev,Kharkiv,Odesa,Odessa,Dnipro,Lviv
UG|Uganda|Kampala,Entebbe
US|United States,United States of America,USA,U.S.A.,US,U.S.,America|New York,NYC,Brooklyn,Los Angeles,Chicago,Houston,Phoenix,Philadelphia,San Antonio,San Diego,Dallas,Austin,San Francisco,Seattle,Denver,Boston,Detroit,Portland,Las Vegas,Miami,Atlanta,Washington,Washington DC,Texas,California,Florida,Ohio,Pennsylvania,Illinois,Georgia,North Carolina,Michigan,New Jersey,Virginia,Arizona,Massachusetts,Tennessee,Colorado,Minnesota,Oregon,Nevada,CA,NY,TX,FL,IL,OH,MA,WA,NJ,VA
UY|Uruguay|Montevideo,Punta del Este
UZ|Uzbekistan,Oʻzbekiston|Tashkent,Samarkand
VC|Saint Vincent and the Grenadines|Kingstown
VE|Venezuela|Caracas,Maracaibo
VN|Vietnam,Viet Nam,Việt Nam|Hanoi,Hà Nội,Ho Chi Minh City,Saigon,Da Nang
VU|Vanuatu|Port Vila
WS|Samoa|Apia
YE|Yemen,اليمن|Sana'a,صنعاء,Aden
ZA|South Africa|Johannesburg,Cape Town,Durban,Pretoria,Port Elizabeth,Soweto,Bloemfontein
ZM|Zambia|Lusaka,Kitwe,Ndola
ZW|Zimbabwe|Harare,Bulawayo
`

interface Country {
  code: string
  names: readonly string[]
  /** Large cities and regions. */
  places: readonly string[]
}

/** Countries with the names that their people write; large cities before small ones of the same name in other countries. */
export const COUNTRY_NAMES: readonly Country[] = COUNTRIES.trim()
  .split('\n')
  .map((line) => {
    const [code, names, places] = line.split('|') as [string, string, string]
    return { code, names: names.split(','), places: places.split(',') }
  })
