/** Countries with their code, WOEID (the number of a place) and name, then their cities with a WOEID. */
export const WOEIDS = `
US 23424977 United States: New York 2459115|Los Angeles 2442047|Chicago 2379574|Houston 2424766|Phoenix 2471390|Philadelphia 2471217|San Antonio 2487796|San Diego 2487889|Dallas 2388929|San Jose 2488042|Austin 2357536|Jacksonville 2428344|San Francisco 2487956|Indianapolis 2427032|Columbus 2383660|Charlotte 2378426|Detroit 2391585|El Paso 2397816|Memphis 2449323|Boston 2367105|Seattle 2490383|Denver 2391279|Washington 2514815|Nashville 2457170|Baltimore 2358820|Louisville 2442327|Portland 2475687|Oklahoma City 2464592|Milwaukee 2451822|Las Vegas 2436704|Albuquerque 2352824|Tucson 2508428|Fresno 2407517|Sacramento 2486340|Long Beach 2441472|Kansas City 2441116|Mesa 2449808|Virginia Beach 2512636|Atlanta 2357024|Colorado Springs 2383489|Raleigh 2478307|Miami 2450022|Tallahassee 2503713|Tampa 2503863|New Orleans 2458833|Cleveland 2381475|Minneapolis 2452078|Honolulu 2423945|Pittsburgh 2473224|St. Louis 2486982|Cincinnati 2380358|Orlando 2466256|Salt Lake City 2487610|Richmond 2480894|Providence 2477058|Greensboro 2414469|Baton Rouge 2359991|New Haven 2458410
CA 23424775 Canada: Toronto 4118|Montreal 3534|Vancouver 9807|Calgary 8775|Edmonton 8676|Ottawa 3369|Winnipeg 2972|Quebec 3444
MX 23424900 Mexico: Mexico City 116545|Guadalajara 124162|Monterrey 134047|Puebla 137612|Tijuana 149361|Mérida 133327|Toluca 149769|Querétaro 138045|Hermosillo 124785|Acapulco 110978|Aguascalientes 111579|Ciudad Juárez 116556|León 131068|San Luis Potosí 144265|Culiacán 117994|Chihuahua 115958
GT 23424834 Guatemala: Guatemala City 83123
DO 23424800 Dominican Republic: Santo Domingo 76456
PA 23424924 Panama:
PR 23424935 Puerto Rico:
BR 23424768 Brazil: São Paulo 455827|Rio de Janeiro 455825|Brasília 455819|Salvador 455826|Fortaleza 455830|Belo Horizonte 455821|Manaus 455833|Curitiba 455822|Recife 455824|Porto Alegre 455823|Belém 455820|Goiânia 455831|Guarulhos 455867|Campinas 455828|São Luís 455834
AR 23424747 Argentina: Buenos Aires 468739|Córdoba 466861|Rosario 466862|Mendoza 332471
CL 23424782 Chile: Santiago 349859|Concepción 349860|Valparaíso 349861
CO 23424787 Colombia: Bogotá 368148|Medellín 368150|Cali 368149|Barranquilla 368151
VE 23424982 Venezuela: Caracas 395269|Maracaibo 395270|Maracay 395271
PE 23424919 Peru: Lima 418440
EC 23424801 Ecuador: Quito 375732|Guayaquil 375733
GB 23424975 United Kingdom: London 44418|Manchester 28218|Birmingham 12723|Liverpool 26734|Glasgow 21125|Leeds 26042|Bristol 13963|Edinburgh 19344|Belfast 44544|Sheffield 34503|Nottingham 30720|Leicester 26062|Cardiff 15127|Newcastle 30079|Portsmouth 32452|Plymouth 32185|Brighton 13911|Hull 25211|Swansea 36758|Derby 18114|Middlesbrough 28869|Stoke-on-Trent 36240|Coventry 17044|Blackpool 12903|Bournemouth 13383
IE 23424803 Ireland: Dublin 560743|Cork 560472|Galway 560912
FR 23424819 France: Paris 615702|Marseille 610264|Lyon 609125|Toulouse 628886|Nantes 613858|Montpellier 612977|Bordeaux 580778|Lille 608105|Rennes 619163|Strasbourg 627791
DE 23424829 Germany: Berlin 638242|Hamburg 656958|Munich 676757|Cologne 667931|Frankfurt 650272|Stuttgart 698064|Düsseldorf 646099|Dortmund 645458|Essen 648820|Bremen 641142|Leipzig 671072|Dresden 645686
ES 23424950 Spain: Madrid 766273|Barcelona 753692|Valencia 776688|Seville 774508|Zaragoza 779063|Málaga 766356|Murcia 768026|Palma 769293|Las Palmas 764814|Bilbao 754542
IT 23424853 Italy: Rome 721943|Milan 718345|Naples 719258|Turin 725003|Palermo 719846|Genoa 716085|Bologna 711080
PT 23424925 Portugal: Lisbon 742676
NL 23424909 Netherlands: Amsterdam 727232|Rotterdam 733075|The Hague 726874|Utrecht 734047
BE 23424757 Belgium:
CH 23424957 Switzerland: Zürich 784794|Geneva 782538|Lausanne 783058
AT 23424750 Austria: Vienna 551801
PL 23424923 Poland: Warsaw 523920|Kraków 502075|Łódź 505120|Wrocław 526363|Poznań 514048|Gdańsk 493417
SE 23424954 Sweden: Stockholm 906057|Gothenburg 890869
NO 23424910 Norway: Oslo 862592|Bergen 857105
DK 23424796 Denmark: Copenhagen 554890
LV 23424874 Latvia:
RU 23424936 Russia: Moscow 2122265|Saint Petersburg 2123260|Novosibirsk 2122541|Yekaterinburg 2112237
UA 23424976 Ukraine: Kyiv 924938|Kharkiv 922137|Odesa 929398|Lviv 924943
BY 23424765 Belarus: Minsk 834463
GR 23424833 Greece: Athens 946738|Thessaloniki 963291
TR 23424969 Türkiye: Istanbul 2344116|Ankara 2343732|Izmir 2344117|Bursa 2343843|Adana 2343678
IL 23424852 Israel: Tel Aviv 1968212|Jerusalem 1968222|Haifa 1967449
JO 23424860 Jordan:
LB 23424873 Lebanon:
KW 23424870 Kuwait:
QA 23424930 Qatar:
BH 23424753 Bahrain:
OM 23424898 Oman:
SA 23424938 Saudi Arabia: Riyadh 1939753|Jeddah 1939873|Mecca 1939897
AE 23424738 United Arab Emirates: Dubai 1940345|Abu Dhabi 1940330|Sharjah 1940119
EG 23424802 Egypt: Cairo 1521894|Alexandria 1522006|Giza 1521643
DZ 23424740 Algeria:
ZA 23424942 South Africa: Johannesburg 1582504|Cape Town 1591691|Durban 1580913|Pretoria 1586638|Soweto 1587677
NG 23424908 Nigeria: Lagos 1398823|Port Harcourt 1404447
KE 23424863 Kenya: Nairobi 1528488|Mombasa 1528335
GH 23424824 Ghana: Accra 1326075|Kumasi 1330595
IN 23424848 India: Mumbai 2295411|Delhi 20070458|Bengaluru 2295420|Hyderabad 2295414|Chennai 2295424|Kolkata 2295386|Ahmedabad 2295402|Pune 2295412|Jaipur 2295401|Surat 2295405|Lucknow 2295377|Kanpur 2295378|Nagpur 2282863|Patna 2295381|Indore 2295408|Bhopal 2295407|Amritsar 2295388
PK 23424922 Pakistan: Karachi 2211096|Lahore 2211177|Rawalpindi 2211387|Faisalabad 2211574|Multan 2211269
ID 23424846 Indonesia: Jakarta 1047378|Bandung 1047180|Surabaya 1044316|Semarang 1048324|Medan 1047908
PH 23424934 Philippines: Manila 1199477|Quezon City 1199682|Davao City 1199136|Makati 1180689
TH 23424960 Thailand: Bangkok 1225448
VN 23424984 Vietnam: Hanoi 1236594|Ho Chi Minh City 1252431|Da Nang 1252376
MY 23424901 Malaysia: Kuala Lumpur 1154781
SG 23424948 Singapore:
JP 23424856 Japan: Tokyo 1118370|Osaka 15015370|Nagoya 1117817|Yokohama 1118550|Kyoto 15015372|Sapporo 1118108|Fukuoka 1117099|Kobe 1117545|Kawasaki 1117502|Saitama 1116753|Hiroshima 1117227|Sendai 1118129|Chiba 1117034|Kitakyushu 1110809|Niigata 1117881|Hamamatsu 1117155|Sagamihara 1118072|Kumamoto 1117605
KR 23424868 South Korea: Seoul 1132599|Busan 1132447|Incheon 1132496|Daegu 1132466|Daejeon 1132467|Gwangju 1132481|Suwon 1132567|Ulsan 1132578
AU 23424748 Australia: Sydney 1105779|Melbourne 1103816|Brisbane 1100661|Perth 1098081|Adelaide 1099805
NZ 23424916 New Zealand: Auckland 2348079`

/** What people write for a place instead of its English name. */
export const OTHER_NAMES: Record<string, string> = {
  東京: 'Tokyo',
  大阪: 'Osaka',
  名古屋: 'Nagoya',
  京都: 'Kyoto',
  札幌: 'Sapporo',
  福岡: 'Fukuoka',
  横浜: 'Yokohama',
  仙台: 'Sendai',
  서울: 'Seoul',
  부산: 'Busan',
  Москва: 'Moscow',
  Київ: 'Kyiv',
  القاهرة: 'Cairo',
  الرياض: 'Riyadh',
  دبي: 'Dubai',
  NYC: 'New York',
  'New York City': 'New York',
  LA: 'Los Angeles',
  SF: 'San Francisco',
  'Washington DC': 'Washington',
  Lisboa: 'Lisbon',
  Sevilla: 'Seville',
  München: 'Munich',
  Köln: 'Cologne',
  Wien: 'Vienna',
  Roma: 'Rome',
  Milano: 'Milan',
  Napoli: 'Naples',
  Torino: 'Turin',
  Bruxelles: 'Belgium',
  CDMX: 'Mexico City',
  'Ciudad de México': 'Mexico City',
  Bangalore: 'Bengaluru',
  Bombay: 'Mumbai',
  Kiev: 'Kyiv',
  'New Delhi': 'Delhi',
  Geneva: 'Geneva',
  Genève: 'Geneva',
  København: 'Copenhagen',
  Göteborg: 'Gothenburg',
  Warszawa: 'Warsaw',
}
