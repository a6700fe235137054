-- Sizes below the least are not kept: they tell whether a single address is known here.
update ads_custom_audience set audience_size = null where audience_size < 100;
update ads_do_not_reach_list set list_size = null where list_size < 100;
