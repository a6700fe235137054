-- Who voted for what. `poll_option.votes` is the number of votes: these, and those that an import or a world file brought as a number.
create table poll_vote (
  poll_id bigint not null,
  user_id bigint not null references user_account on delete cascade,
  position int not null,
  -- Its moment is the moment of the vote.
  id bigint not null,
  primary key (poll_id, user_id),
  foreign key (poll_id, position) references poll_option on delete cascade
);
create index poll_vote_of_option on poll_vote (poll_id, position);
create index poll_vote_of_user on poll_vote (user_id, id);
