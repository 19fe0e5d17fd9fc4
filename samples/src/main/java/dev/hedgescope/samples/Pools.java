package dev.hedgescope.samples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A connection pool for each standby. */
final class Pools implements AutoCloseable {

    /** What the pools' connections call themselves. */
    static final String APPLICATION = "accounts";

    private static final int CONNECTIONS = 16;

    private final List<HikariDataSource> pools = new ArrayList<>();

    Pools(PostgresCluster cluster) {
        for (int standby = 0; standby < PostgresCluster.STANDBYS; standby++) {
            HikariConfig config = new HikariConfig();
            config.setPoolName(PostgresCluster.standbyName(standby));
            config.setJdbcUrl(cluster.standbyUrl(standby) + "&ApplicationName=" + APPLICATION);
            config.setMaximumPoolSize(CONNECTIONS);
            config.setConnectionTimeout(5_000);
            config.setReadOnly(true);
            pools.add(new HikariDataSource(config));
        }
    }

    /** {@return the standbys, each in a failure domain of its own} */
    Replicas<DataSource> replicas() {
        List<Replica<DataSource>> replicas = new ArrayList<>();
        for (int standby = 0; standby < pools.size(); standby++) {
            replicas.add(new Replica<>(PostgresCluster.standbyName(standby), "zone-" + standby, pools.get(standby)));
        }
        return Replicas.of(replicas);
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
    }
}
