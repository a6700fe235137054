/** Designated market areas: code and name. They exist only in the United States. */
export const METROS: Record<string, string> = {
  US:
    '501 New York|803 Los Angeles|602 Chicago|504 Philadelphia|623 Dallas-Ft. Worth|807 San Francisco-Oakland-San Jose|618 Houston|' +
    '524 Atlanta|511 Washington DC (Hagerstown)|506 Boston (Manchester)|753 Phoenix (Prescott)|819 Seattle-Tacoma|' +
    '539 Tampa-St. Petersburg (Sarasota)|613 Minneapolis-St. Paul|505 Detroit|751 Denver|534 Orlando-Daytona Beach-Melbourne|' +
    '528 Miami-Ft. Lauderdale|510 Cleveland-Akron (Canton)|862 Sacramento-Stockton-Modesto|517 Charlotte|820 Portland, OR|' +
    '609 St. Louis|560 Raleigh-Durham (Fayetteville)|527 Indianapolis|508 Pittsburgh|659 Nashville|512 Baltimore|825 San Diego|' +
    '770 Salt Lake City|641 San Antonio|533 Hartford-New Haven|616 Kansas City|535 Columbus, OH|617 Milwaukee|515 Cincinnati|' +
    '567 Greenville-Spartanburg-Asheville|548 West Palm Beach-Ft. Pierce|635 Austin|839 Las Vegas|561 Jacksonville|' +
    '566 Harrisburg-Lancaster-Lebanon-York|544 Norfolk-Portsmouth-Newport News|563 Grand Rapids-Kalamazoo-Battle Creek|' +
    '630 Birmingham (Anniston and Tuscaloosa)|518 Greensboro-High Point-Winston Salem|650 Oklahoma City|790 Albuquerque-Santa Fe|' +
    '529 Louisville|622 New Orleans|640 Memphis|521 Providence-New Bedford|866 Fresno-Visalia|514 Buffalo|556 Richmond-Petersburg|' +
    '571 Ft. Myers-Naples|671 Tulsa|532 Albany-Schenectady-Troy|577 Wilkes Barre-Scranton|557 Knoxville|686 Mobile-Pensacola|' +
    '541 Lexington|679 Des Moines-Ames|542 Dayton|693 Little Rock-Pine Bluff|573 Roanoke-Lynchburg|881 Spokane|519 Charleston, SC|' +
    '500 Portland-Auburn|538 Rochester, NY|789 Tucson (Sierra Vista)|678 Wichita-Hutchinson|652 Omaha|744 Honolulu|' +
    '546 Columbia, SC|575 Chattanooga|691 Huntsville-Decatur|669 Madison|658 Green Bay-Appleton|547 Toledo|564 Charleston-Huntington|' +
    '523 Burlington-Plattsburgh|757 Boise|756 Billings|743 Anchorage|752 Colorado Springs-Pueblo|765 El Paso (Las Cruces)|' +
    '811 Reno|821 Bend, OR|828 Monterey-Salinas|855 Santa Barbara-San Luis Obispo|716 Baton Rouge|718 Jackson, MS|725 Sioux Falls',
}
