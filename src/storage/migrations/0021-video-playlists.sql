-- Videos tell a playlist beside the file; those that were uploaded before it get theirs.
update media
   set variants = variants || jsonb_build_array(
         jsonb_build_object('content_type', 'application/x-mpegURL', 'url', regexp_replace(url, '\.\w+$', '.m3u8')))
 where type = 'video' and variants is not null;
