-- An e-mail address belongs to one user: it is a name to sign in with. Of users that shared one, the first keeps it.
update user_sign_in later set email = null, email_confirmed = false
 where exists (select from user_sign_in earlier where lower(earlier.email) = lower(later.email) and earlier.user_id < later.user_id);
create unique index user_sign_in_email on user_sign_in (lower(email));
