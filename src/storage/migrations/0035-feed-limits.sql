-- How many processes died while they read the file, one after another.
alter table ads_scheduled_feed add column deaths int not null default 0;

-- Products whose images are to be checked, catalog by catalog.
create index ads_product_unchecked_of_catalog on ads_product (catalog_id, product_key) where not images_checked;
drop index ads_product_unchecked;
