/** Regions of the larger countries: for each the last part of its ISO 3166-2 code and its name. */
export const REGIONS: Record<string, string> = {
  US:
    'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|' +
    'FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|' +
    'MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|' +
    'NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|' +
    'PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|' +
    'WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming',
  CA:
    'AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NS Nova Scotia|' +
    'NT Northwest Territories|NU Nunavut|ON Ontario|PE Prince Edward Island|QC Quebec|SK Saskatchewan|YT Yukon',
  MX:
    'AGU Aguascalientes|BCN Baja California|BCS Baja California Sur|CAM Campeche|CHP Chiapas|CHH Chihuahua|CMX Ciudad de México|' +
    'COA Coahuila|COL Colima|DUR Durango|GUA Guanajuato|GRO Guerrero|HID Hidalgo|JAL Jalisco|MEX Estado de México|MIC Michoacán|' +
    'MOR Morelos|NAY Nayarit|NLE Nuevo León|OAX Oaxaca|PUE Puebla|QUE Querétaro|ROO Quintana Roo|SLP San Luis Potosí|SIN Sinaloa|' +
    'SON Sonora|TAB Tabasco|TAM Tamaulipas|TLA Tlaxcala|VER Veracruz|YUC Yucatán|ZAC Zacatecas',
  BR:
    'AC Acre|AL Alagoas|AP Amapá|AM Amazonas|BA Bahia|CE Ceará|DF Distrito Federal|ES Espírito Santo|GO Goiás|MA Maranhão|' +
    'MT Mato Grosso|MS Mato Grosso do Sul|MG Minas Gerais|PA Pará|PB Paraíba|PR Paraná|PE Pernambuco|PI Piauí|RJ Rio de Janeiro|' +
    'RN Rio Grande do Norte|RS Rio Grande do Sul|RO Rondônia|RR Roraima|SC Santa Catarina|SP São Paulo|SE Sergipe|TO Tocantins',
  AR:
    'C Ciudad Autónoma de Buenos Aires|B Buenos Aires|K Catamarca|H Chaco|U Chubut|X Córdoba|W Corrientes|E Entre Ríos|P Formosa|' +
    'Y Jujuy|L La Pampa|F La Rioja|M Mendoza|N Misiones|Q Neuquén|R Río Negro|A Salta|J San Juan|D San Luis|Z Santa Cruz|' +
    'S Santa Fe|G Santiago del Estero|V Tierra del Fuego|T Tucumán',
  CO:
    'AMA Amazonas|ANT Antioquia|ATL Atlántico|BOL Bolívar|BOY Boyacá|CAL Caldas|CAU Cauca|CES Cesar|COR Córdoba|CUN Cundinamarca|' +
    'DC Bogotá|HUI Huila|LAG La Guajira|MAG Magdalena|MET Meta|NAR Nariño|NSA Norte de Santander|QUI Quindío|RIS Risaralda|' +
    'SAN Santander|SUC Sucre|TOL Tolima|VAC Valle del Cauca',
  CL:
    'AI Aysén|AN Antofagasta|AP Arica y Parinacota|AR La Araucanía|AT Atacama|BI Biobío|CO Coquimbo|LI O’Higgins|LL Los Lagos|' +
    'LR Los Ríos|MA Magallanes|ML Maule|NB Ñuble|RM Región Metropolitana de Santiago|TA Tarapacá|VS Valparaíso',
  VE: 'A Distrito Capital|G Carabobo|L Mérida|M Miranda|K Lara|V Zulia|F Bolívar|B Anzoátegui|D Aragua|S Táchira',
  GB: 'ENG England|NIR Northern Ireland|SCT Scotland|WLS Wales',
  IE:
    'CW Carlow|CN Cavan|CE Clare|CO County Cork|DL Donegal|D County Dublin|G County Galway|KY Kerry|KE Kildare|KK Kilkenny|LS Laois|' +
    'LM Leitrim|LK County Limerick|LD Longford|LH Louth|MO Mayo|MH Meath|MN Monaghan|OY Offaly|RN Roscommon|SO Sligo|TA Tipperary|' +
    'WD County Waterford|WH Westmeath|WX Wexford|WW Wicklow',
  DE:
    'BW Baden-Württemberg|BY Bayern|BE Berlin|BB Brandenburg|HB Bremen|HH Hamburg|HE Hessen|MV Mecklenburg-Vorpommern|' +
    'NI Niedersachsen|NW Nordrhein-Westfalen|RP Rheinland-Pfalz|SL Saarland|SN Sachsen|ST Sachsen-Anhalt|SH Schleswig-Holstein|' +
    'TH Thüringen',
  FR:
    'ARA Auvergne-Rhône-Alpes|BFC Bourgogne-Franche-Comté|BRE Bretagne|CVL Centre-Val de Loire|20R Corse|GES Grand Est|' +
    'HDF Hauts-de-France|IDF Île-de-France|NOR Normandie|NAQ Nouvelle-Aquitaine|OCC Occitanie|PDL Pays de la Loire|' +
    'PAC Provence-Alpes-Côte d’Azur',
  ES:
    'AN Andalucía|AR Aragón|AS Asturias|CN Canarias|CB Cantabria|CM Castilla-La Mancha|CL Castilla y León|CT Cataluña|CE Ceuta|' +
    'EX Extremadura|GA Galicia|IB Illes Balears|RI La Rioja|MD Comunidad de Madrid|ML Melilla|MC Murcia|NC Navarra|PV País Vasco|' +
    'VC Comunitat Valenciana',
  IT:
    '65 Abruzzo|77 Basilicata|78 Calabria|72 Campania|45 Emilia-Romagna|36 Friuli-Venezia Giulia|62 Lazio|42 Liguria|25 Lombardia|' +
    '57 Marche|67 Molise|21 Piemonte|75 Puglia|88 Sardegna|82 Sicilia|52 Toscana|32 Trentino-Alto Adige|55 Umbria|' +
    '23 Valle d’Aosta|34 Veneto',
  PT:
    '01 Aveiro|02 Beja|03 Braga|04 Bragança|05 Castelo Branco|06 Coimbra|07 Évora|08 Faro|09 Guarda|10 Leiria|11 Distrito de Lisboa|' +
    '12 Portalegre|13 Distrito do Porto|14 Santarém|15 Setúbal|16 Viana do Castelo|17 Vila Real|18 Viseu|20 Açores|30 Madeira',
  NL:
    'DR Drenthe|FL Flevoland|FR Friesland|GE Gelderland|GR Provincie Groningen|LI Limburg|NB Noord-Brabant|NH Noord-Holland|' +
    'OV Overijssel|UT Provincie Utrecht|ZE Zeeland|ZH Zuid-Holland',
  BE: 'BRU Brussels-Capital Region|VLG Vlaanderen|WAL Wallonie',
  CH:
    'AG Aargau|AR Appenzell Ausserrhoden|AI Appenzell Innerrhoden|BL Basel-Landschaft|BS Basel-Stadt|BE Kanton Bern|FR Fribourg|' +
    'GE Canton de Genève|GL Glarus|GR Graubünden|JU Jura|LU Kanton Luzern|NE Neuchâtel|NW Nidwalden|OW Obwalden|SG St. Gallen|' +
    'SH Schaffhausen|SZ Schwyz|SO Solothurn|TG Thurgau|TI Ticino|UR Uri|VS Valais|VD Vaud|ZG Zug|ZH Kanton Zürich',
  AT: '1 Burgenland|2 Kärnten|3 Niederösterreich|4 Oberösterreich|5 Salzburg|6 Steiermark|7 Tirol|8 Vorarlberg|9 Wien',
  PL:
    'DS Dolnośląskie|KP Kujawsko-Pomorskie|LU Lubelskie|LB Lubuskie|LD Łódzkie|MA Małopolskie|MZ Mazowieckie|OP Opolskie|' +
    'PK Podkarpackie|PD Podlaskie|PM Pomorskie|SL Śląskie|SK Świętokrzyskie|WN Warmińsko-Mazurskie|WP Wielkopolskie|' +
    'ZP Zachodniopomorskie',
  SE:
    'AB Stockholms län|C Uppsala län|D Södermanland|E Östergötland|F Jönköping|G Kronoberg|H Kalmar|I Gotland|K Blekinge|M Skåne|' +
    'N Halland|O Västra Götaland|S Värmland|T Örebro län|U Västmanland|W Dalarna|X Gävleborg|Y Västernorrland|Z Jämtland|' +
    'AC Västerbotten|BD Norrbotten',
  NO: '03 Oslo|11 Rogaland|15 Møre og Romsdal|18 Nordland|34 Innlandet|42 Agder|46 Vestland|50 Trøndelag|55 Troms|56 Finnmark',
  DK: '81 Nordjylland|82 Midtjylland|83 Syddanmark|84 Hovedstaden|85 Sjælland',
  FI: '02 South Karelia|06 Kanta-Häme|10 Lapland|11 Pirkanmaa|14 North Ostrobothnia|18 Uusimaa|19 Southwest Finland',
  TR: '01 Adana|06 Ankara ili|07 Antalya ili|16 Bursa ili|27 Gaziantep|34 İstanbul ili|35 İzmir ili|42 Konya|55 Samsun|61 Trabzon',
  JP:
    '01 Hokkaido|02 Aomori|03 Iwate|04 Miyagi|05 Akita|06 Yamagata|07 Fukushima|08 Ibaraki|09 Tochigi|10 Gunma|11 Saitama|12 Chiba|' +
    '13 Tokyo-to|14 Kanagawa|15 Niigata|16 Toyama|17 Ishikawa|18 Fukui|19 Yamanashi|20 Nagano|21 Gifu|22 Shizuoka|23 Aichi|24 Mie|' +
    '25 Shiga|26 Kyoto-fu|27 Osaka-fu|28 Hyogo|29 Nara|30 Wakayama|31 Tottori|32 Shimane|33 Okayama|34 Hiroshima-ken|35 Yamaguchi|' +
    '36 Tokushima|37 Kagawa|38 Ehime|39 Kochi|40 Fukuoka-ken|41 Saga|42 Nagasaki|43 Kumamoto|44 Oita|45 Miyazaki|46 Kagoshima|' +
    '47 Okinawa',
  KR:
    '11 Seoul-si|26 Busan-si|27 Daegu-si|28 Incheon-si|29 Gwangju-si|30 Daejeon-si|31 Ulsan-si|41 Gyeonggi|42 Gangwon|43 North Chungcheong|' +
    '44 South Chungcheong|45 North Jeolla|46 South Jeolla|47 North Gyeongsang|48 South Gyeongsang|49 Jeju|50 Sejong',
  IN:
    'AN Andaman and Nicobar Islands|AP Andhra Pradesh|AR Arunachal Pradesh|AS Assam|BR Bihar|CH Chandigarh|CT Chhattisgarh|' +
    'DH Dadra and Nagar Haveli and Daman and Diu|DL National Capital Territory of Delhi|GA Goa|GJ Gujarat|HR Haryana|HP Himachal Pradesh|' +
    'JK Jammu and Kashmir|JH Jharkhand|KA Karnataka|KL Kerala|LA Ladakh|LD Lakshadweep|MP Madhya Pradesh|MH Maharashtra|MN Manipur|' +
    'ML Meghalaya|MZ Mizoram|NL Nagaland|OR Odisha|PY Puducherry|PB Punjab|RJ Rajasthan|SK Sikkim|TN Tamil Nadu|TG Telangana|' +
    'TR Tripura|UP Uttar Pradesh|UT Uttarakhand|WB West Bengal',
  ID: 'AC Aceh|BA Bali|BT Banten|YO Yogyakarta|JK DKI Jakarta|JB West Java|JT Central Java|JI East Java|SU North Sumatra|SN South Sulawesi',
  PH: '00 Metro Manila|01 Ilocos|03 Central Luzon|05 Bicol|06 Western Visayas|07 Central Visayas|11 Davao Region|40 Calabarzon',
  AU:
    'ACT Australian Capital Territory|NSW New South Wales|NT Northern Territory|QLD Queensland|SA South Australia|TAS Tasmania|' +
    'VIC Victoria|WA Western Australia',
  NZ: 'AUK Auckland Region|BOP Bay of Plenty|CAN Canterbury|HKB Hawke’s Bay|OTA Otago|STL Southland|WGN Wellington Region|WKO Waikato',
  NG:
    'AB Abia|FC Federal Capital Territory|AD Adamawa|AK Akwa Ibom|AN Anambra|BA Bauchi|BY Bayelsa|BE Benue|BO Borno|CR Cross River|' +
    'DE Delta|EB Ebonyi|ED Edo|EK Ekiti|EN Enugu State|GO Gombe|IM Imo|JI Jigawa|KD Kaduna State|KN Kano State|KT Katsina|KE Kebbi|KO Kogi|' +
    'KW Kwara|LA Lagos State|NA Nasarawa|NI Niger State|OG Ogun|ON Ondo|OS Osun|OY Oyo|PL Plateau|RI Rivers|SO Sokoto|TA Taraba|YO Yobe|' +
    'ZA Zamfara',
  ZA: 'EC Eastern Cape|FS Free State|GP Gauteng|KZN KwaZulu-Natal|LP Limpopo|MP Mpumalanga|NC Northern Cape|NW North West|WC Western Cape',
  KE: '01 Baringo|17 Kisumu County|28 Mombasa County|30 Nairobi County|31 Nakuru County|44 Uasin Gishu',
  EG: 'ALX Alexandria Governorate|ASN Aswan Governorate|C Cairo Governorate|GZ Giza Governorate|LX Luxor Governorate|PTS Port Said',
  SA: '01 Riyadh Region|02 Makkah Region|03 Madinah Region|04 Eastern Province|05 Qassim|14 Asir',
  AE: 'AJ Ajman|AZ Emirate of Abu Dhabi|DU Emirate of Dubai|FU Fujairah|RK Ras al-Khaimah|SH Emirate of Sharjah|UQ Umm al-Quwain',
}
