/** Cities of a country: the name and the code of the region; without a code in countries without listed regions. */
export const CITIES: Record<string, string> = {
  US:
    'New York NY|Los Angeles CA|Chicago IL|Houston TX|Phoenix AZ|Philadelphia PA|San Antonio TX|San Diego CA|Dallas TX|' +
    'San Jose CA|Austin TX|Jacksonville FL|Fort Worth TX|Columbus OH|Charlotte NC|San Francisco CA|Indianapolis IN|Seattle WA|' +
    'Denver CO|Boston MA|El Paso TX|Nashville TN|Detroit MI|Oklahoma City OK|Portland OR|Las Vegas NV|Memphis TN|Louisville KY|' +
    'Baltimore MD|Milwaukee WI|Albuquerque NM|Tucson AZ|Fresno CA|Sacramento CA|Kansas City MO|Atlanta GA|Miami FL|Oakland CA|' +
    'Minneapolis MN|Tampa FL|New Orleans LA|Cleveland OH|Honolulu HI|Orlando FL|Pittsburgh PA|St. Louis MO|Cincinnati OH|' +
    'Salt Lake City UT|Brooklyn NY|Boulder CO|Santa Monica CA|Cambridge MA|Palo Alto CA|Berkeley CA',
  CA:
    'Toronto ON|Montreal QC|Vancouver BC|Calgary AB|Edmonton AB|Ottawa ON|Winnipeg MB|Quebec City QC|Hamilton ON|Halifax NS|' +
    'Victoria BC|Mississauga ON|Saskatoon SK|Regina SK',
  MX:
    'Mexico City CMX|Guadalajara JAL|Monterrey NLE|Puebla PUE|Tijuana BCN|León GUA|Cancún ROO|Mérida YUC|Toluca MEX|' +
    'Querétaro QUE|Acapulco GRO|Hermosillo SON',
  BR:
    'São Paulo SP|Rio de Janeiro RJ|Brasília DF|Salvador BA|Fortaleza CE|Belo Horizonte MG|Manaus AM|Curitiba PR|' +
    'Recife PE|Porto Alegre RS|Belém PA|Goiânia GO|Campinas SP|Florianópolis SC|Natal RN|Vitória ES',
  AR: 'Buenos Aires C|La Plata B|Mar del Plata B|Córdoba X|Rosario S|Mendoza M|San Miguel de Tucumán T|Salta A',
  CO: 'Bogotá DC|Medellín ANT|Cali VAC|Barranquilla ATL|Cartagena BOL|Bucaramanga SAN|Pereira RIS|Manizales CAL',
  CL: 'Santiago RM|Valparaíso VS|Viña del Mar VS|Concepción BI|Temuco AR|La Serena CO|Iquique TA',
  VE: 'Caracas A|Maracaibo V|Valencia G|Barquisimeto K|Maracay D',
  PE: 'Lima|Arequipa|Trujillo|Cusco|Chiclayo|Piura',
  EC: 'Quito|Guayaquil|Cuenca',
  UY: 'Montevideo|Punta del Este',
  GB:
    'London ENG|Birmingham ENG|Manchester ENG|Liverpool ENG|Leeds ENG|Sheffield ENG|Bristol ENG|Newcastle upon Tyne ENG|' +
    'Nottingham ENG|Leicester ENG|Brighton ENG|Southampton ENG|Oxford ENG|Cambridge ENG|York ENG|Edinburgh SCT|Glasgow SCT|' +
    'Aberdeen SCT|Dundee SCT|Cardiff WLS|Swansea WLS|Belfast NIR|Derry NIR',
  IE: 'Dublin D|Cork CO|Galway G|Limerick LK|Waterford WD|Kilkenny KK|Sligo SO',
  DE:
    'Berlin BE|Hamburg HH|Munich BY|Cologne NW|Frankfurt HE|Stuttgart BW|Düsseldorf NW|Leipzig SN|Dortmund NW|Essen NW|' +
    'Bremen HB|Dresden SN|Hanover NI|Nuremberg BY|Bonn NW|Mannheim BW|Freiburg BW|Kiel SH|Mainz RP|Erfurt TH',
  FR:
    'Paris IDF|Marseille PAC|Lyon ARA|Toulouse OCC|Nice PAC|Nantes PDL|Montpellier OCC|Strasbourg GES|Bordeaux NAQ|Lille HDF|' +
    'Rennes BRE|Reims GES|Grenoble ARA|Dijon BFC|Le Havre NOR|Ajaccio 20R|Tours CVL',
  ES:
    'Madrid MD|Barcelona CT|Valencia VC|Sevilla AN|Zaragoza AR|Málaga AN|Murcia MC|Palma IB|Bilbao PV|Alicante VC|Valladolid CL|' +
    'Vigo GA|Gijón AS|Granada AN|San Sebastián PV|Las Palmas CN',
  IT:
    'Rome 62|Milan 25|Naples 72|Turin 21|Palermo 82|Genoa 42|Bologna 45|Florence 52|Bari 75|Catania 82|Venice 34|Verona 34|' +
    'Cagliari 88|Trieste 36|Perugia 55',
  PT: 'Lisbon 11|Porto 13|Braga 03|Coimbra 06|Faro 08|Funchal 30|Ponta Delgada 20|Setúbal 15',
  NL: 'Amsterdam NH|Rotterdam ZH|The Hague ZH|Utrecht UT|Eindhoven NB|Groningen GR|Tilburg NB|Almere FL|Maastricht LI|Nijmegen GE',
  BE: 'Brussels BRU|Antwerp VLG|Ghent VLG|Bruges VLG|Leuven VLG|Liège WAL|Charleroi WAL|Namur WAL',
  CH: 'Zürich ZH|Geneva GE|Basel BS|Bern BE|Lausanne VD|Lucerne LU|Lugano TI|Winterthur ZH',
  AT: 'Vienna 9|Graz 6|Linz 4|Salzburg 5|Innsbruck 7|Klagenfurt 2|Bregenz 8',
  PL: 'Warsaw MZ|Kraków MA|Łódź LD|Wrocław DS|Poznań WP|Gdańsk PM|Szczecin ZP|Lublin LU|Katowice SL',
  SE: 'Stockholm AB|Gothenburg O|Malmö M|Uppsala C|Linköping E|Umeå AC|Örebro T',
  NO: 'Oslo 03|Bergen 46|Trondheim 50|Stavanger 11|Tromsø 55',
  DK: 'Copenhagen 84|Aarhus 82|Odense 83|Aalborg 81',
  FI: 'Helsinki 18|Espoo 18|Tampere 11|Turku 19|Oulu 14',
  CZ: 'Prague|Brno|Ostrava|Plzeň',
  HU: 'Budapest|Debrecen|Szeged',
  RO: 'Bucharest|Cluj-Napoca|Timișoara|Iași',
  GR: 'Athens|Thessaloniki|Patras|Heraklion',
  BG: 'Sofia|Plovdiv|Varna',
  RS: 'Belgrade|Novi Sad|Niš',
  HR: 'Zagreb|Split|Rijeka',
  UA: 'Kyiv|Kharkiv|Odesa|Lviv|Dnipro',
  RU: 'Moscow|Saint Petersburg|Novosibirsk|Yekaterinburg|Kazan',
  TR: 'Istanbul 34|Ankara 06|Izmir 35|Bursa 16|Antalya 07',
  JP:
    'Tokyo 13|Yokohama 14|Osaka 27|Nagoya 23|Sapporo 01|Fukuoka 40|Kobe 28|Kyoto 26|Kawasaki 14|Saitama 11|Hiroshima 34|Sendai 04|' +
    'Chiba 12|Kitakyushu 40|Niigata 15|Hamamatsu 22|Kumamoto 43|Naha 47|Kanazawa 17|Nara 29',
  KR: 'Seoul 11|Busan 26|Incheon 28|Daegu 27|Daejeon 30|Gwangju 29|Suwon 41|Ulsan 31|Jeju City 49',
  CN: 'Beijing|Shanghai|Guangzhou|Shenzhen|Chengdu|Wuhan|Hangzhou|Xi’an|Nanjing',
  TW: 'Taipei|Kaohsiung|Taichung|Tainan',
  SG: 'Singapore',
  IN:
    'Mumbai MH|Delhi DL|New Delhi DL|Bengaluru KA|Hyderabad TG|Chennai TN|Kolkata WB|Ahmedabad GJ|Pune MH|Jaipur RJ|Surat GJ|' +
    'Lucknow UP|Kochi KL|Bhopal MP|Patna BR|Guwahati AS|Chandigarh CH|Panaji GA',
  ID: 'Jakarta JK|Surabaya JI|Bandung JB|Medan SU|Semarang JT|Makassar SN|Yogyakarta YO|Denpasar BA',
  PH: 'Manila 00|Quezon City 00|Makati 00|Cebu City 07|Davao City 11|Iloilo City 06',
  TH: 'Bangkok|Chiang Mai|Phuket|Pattaya',
  VN: 'Hanoi|Ho Chi Minh City|Da Nang|Haiphong',
  MY: 'Kuala Lumpur|George Town|Johor Bahru|Ipoh',
  PK: 'Karachi|Lahore|Islamabad|Faisalabad|Rawalpindi',
  BD: 'Dhaka|Chittagong|Khulna',
  AU: 'Sydney NSW|Melbourne VIC|Brisbane QLD|Perth WA|Adelaide SA|Canberra ACT|Hobart TAS|Darwin NT|Gold Coast QLD|Newcastle NSW',
  NZ: 'Auckland AUK|Wellington WGN|Christchurch CAN|Hamilton WKO|Dunedin OTA|Tauranga BOP',
  NG: 'Lagos LA|Abuja FC|Kano KN|Ibadan OY|Port Harcourt RI|Benin City ED|Kaduna KD|Enugu EN',
  ZA: 'Johannesburg GP|Cape Town WC|Durban KZN|Pretoria GP|Gqeberha EC|Bloemfontein FS',
  KE: 'Nairobi 30|Mombasa 28|Kisumu 17|Nakuru 31|Eldoret 44',
  GH: 'Accra|Kumasi|Tamale',
  EG: 'Cairo C|Alexandria ALX|Giza GZ|Luxor LX|Aswan ASN',
  MA: 'Casablanca|Rabat|Marrakesh|Fez|Tangier',
  SA: 'Riyadh 01|Jeddah 02|Mecca 02|Medina 03|Dammam 04',
  AE: 'Dubai DU|Abu Dhabi AZ|Sharjah SH',
  IL: 'Tel Aviv|Jerusalem|Haifa',
  QA: 'Doha',
  KW: 'Kuwait City',
}
