-- Locations whose values the platform has published have these values now. Criteria keep the location that they name.
update ads_targeting_criterion c set targeting_value = p.published
  from (values
    ('ee6bbcaf46085f64', '96683cc9126741d1'),
    ('5be0b56cc661d8c0', '6416b8512febefc9'),
    ('fff7becfaf94049c', '3376992a082d67c7'),
    ('5d27afd6c18393b2', 'f3bfc7dcc928977f'),
    ('6a832060babd93e5', 'fdcd221ac44fa326'),
    ('74ebe0a0ed78c317', 'ecdce75d48b13b64'),
    ('a2a97298ab327e49', '25530ba03b7d90c6'),
    ('fff6e45427b70c1c', '82b141af443cb1b8'),
    ('23e10f5f7318138a', '5122804691e5fecc'),
    ('f7862002575e306a', '5a110d312052166f'),
    ('19123c0fa4bb1250', '3b77caf94bfc81fe'),
    ('00697cba5d41e778', '27485069891a7938'),
    ('b83e78d9f37508d0', '1d9a5370a355ab0c')
  ) p (former, published)
 where c.targeting_type = 'LOCATION' and c.targeting_value = p.former;
