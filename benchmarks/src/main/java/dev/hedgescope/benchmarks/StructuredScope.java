package dev.hedgescope.benchmarks;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * The JDK's structured scope with one subtask: the first success wins, within a limited time.
 *
 * <p>It is a preview API, of another shape in each release. So it is looked up by name, in the shape that it has in JDK 25;
 * the JVM has to run with {@code --enable-preview}, while nothing here is compiled with it.
 */
final class StructuredScope implements Operation {

    private static final MethodHandle OPEN;
    private static final MethodHandle FORK;
    private static final MethodHandle JOIN;
    private static final MethodHandle WITH_TIMEOUT;
    private static final Function<Object, Object> LIMITED = StructuredScope::limited;
    private static final Callable<Object> TASK = () -> "value";

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> scope = Class.forName("java.util.concurrent.StructuredTaskScope");
            Class<?> joiner = Class.forName(scope.getName() + "$Joiner");
            Class<?> configuration = Class.forName(scope.getName() + "$Configuration");
            Class<?> subtask = Class.forName(scope.getName() + "$Subtask");
            MethodHandle open = lookup.findStatic(scope, "open", MethodType.methodType(scope, joiner, Function.class));
            MethodHandle first = lookup.findStatic(joiner, "anySuccessfulResultOrThrow", MethodType.methodType(joiner));
            OPEN = MethodHandles.foldArguments(open, first)
                    .asType(MethodType.methodType(AutoCloseable.class, Function.class));
            FORK = lookup.findVirtual(scope, "fork", MethodType.methodType(subtask, Callable.class))
                    .asType(MethodType.methodType(void.class, AutoCloseable.class, Callable.class));
            JOIN = lookup.findVirtual(scope, "join", MethodType.methodType(Object.class))
                    .asType(MethodType.methodType(Object.class, AutoCloseable.class));
            WITH_TIMEOUT = lookup.findVirtual(
                            configuration, "withTimeout", MethodType.methodType(configuration, Duration.class))
                    .asType(MethodType.methodType(Object.class, Object.class, Duration.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Object limited(Object configuration) {
        try {
            return (Object) WITH_TIMEOUT.invokeExact(configuration, PATIENCE);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Override
    public Object run() throws Exception {
        try (AutoCloseable scope = open()) {
            FORK.invokeExact(scope, TASK);
            return (Object) JOIN.invokeExact(scope);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static AutoCloseable open() throws Throwable {
        return (AutoCloseable) OPEN.invokeExact(LIMITED);
    }
}
