# A Walproof adapter to start from: one file, Perl 5.14 and its core modules. Fill in read_log, name it in %hello.
#
#   walproof check --smoke --cmd 'perl conformance/skeletons/perl/adapter.pl'   # speaks the protocol?
#   walproof check --cmd 'perl conformance/skeletons/perl/adapter.pl'   # all vectors
#
# By hand: perl adapter.pl read leveldb-log FILE [strict]
use strict;
use warnings;
use JSON::PP ();

my %hello = (
    name     => 'my-reader',
    version  => '0.0.0',
    language => 'Perl',
    formats  => ['leveldb-log'],
    profiles => ['recover'],
    reports  => ['records', 'signals'],
);

# ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
# { answer => { records => [{ payload => unpack('H*', $bytes) }], signals => ["$@"] } }
# If your reader dies of damage, that is a signal: eval it here and keep the records before it. What ends the process is
# a result too: leave it alone. $context, a hash reference, is what the vector says about the log besides the file.
sub read_log {
    my ($format, $path, $profile, $context) = @_;
    return { skipped => 'read() is not written yet' };
}

# ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at $path, for "append" go on with the one that is there.
# Return { done => JSON::PP::true } when all records are in it, or { refused => 'why' } and leave what is there as it
# was. A record has its payload in hex and what else the format needs. Add the profiles write and append to %hello.
sub write_log {
    my ($cmd, $format, $path, $records, $context) = @_;
    return { skipped => 'write() is not written yet' };
}

# ---- The protocol: nothing to fill in from here on. ----

# Carries out a request that names a log.
sub answer {
    my ($request) = @_;
    my ($cmd, $format, $path, $context) = @$request{qw(cmd format path context)};
    return { skipped => 'nothing is at this path' } if $cmd ne 'write' && !-e $path;
    return read_log($format, $path, $request->{profile}, $context) if $cmd eq 'read';
    return write_log($cmd, $format, $path, $request->{records}, $context);
}

my $json = JSON::PP->new->utf8->canonical;
$| = 1;    # the harness waits for each reply

if (@ARGV && $ARGV[0] eq 'read') {
    my %request = (profile => 'recover', context => {});
    @request{ (qw(cmd format path profile))[0 .. $#ARGV] } = @ARGV;
    my $result = answer(\%request);
    print $json->encode($result->{answer} // $result), "\n";
    exit;
}
while (my $line = <STDIN>) {
    my $request = $json->decode($line);
    last if $request->{cmd} eq 'bye';
    utf8::encode($request->{path}) if defined $request->{path};    # a path is bytes
    my $reply = $request->{cmd} eq 'hello' ? \%hello : { %{ answer($request) }, seq => $request->{seq} };
    print $json->encode($reply), "\n";
}
