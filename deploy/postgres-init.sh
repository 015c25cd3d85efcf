#!/bin/sh
# The image of PostgreSQL runs this once, when it makes its data folder: the user that Lineup signs in as, who is no superuser, so that row level
# security holds them; the two roles that they take; and a database of their own. The administrator comes in from within the container alone.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv password POSTGRES_PASSWORD
CREATE ROLE lineup LOGIN PASSWORD :'password';
CREATE ROLE lineup_tenant;
CREATE ROLE lineup_operator;
GRANT lineup_tenant, lineup_operator TO lineup;
CREATE DATABASE lineup OWNER lineup ENCODING 'UTF8' TEMPLATE template0;
ALTER ROLE current_user PASSWORD NULL;
SQL
